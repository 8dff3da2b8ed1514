import { invalidValue } from '../schema/scim-error';
import { type Attribute } from '../schema/attribute';
import { type ResourceSchema, resolve } from '../schema/resource-schema';

type Shown = Record<string, unknown>;

/**
 * The attributes of a resource that a response shows: `attributes` or `excludedAttributes`, separated by commas in a
 * query, a list in a `.search`. A filter after a name does not count. RFC 7644 does not define both together;
 * `attributes` wins.
 */
export class Projection {
  /** Canonical names: `emails`, `emails.value`, an extension's URN, or `urn:…:department`. */
  private readonly names: ReadonlySet<string>;
  private readonly isSelection: boolean;

  constructor(
    private readonly schema: ResourceSchema,
    { attributes, excludedAttributes }: { attributes?: unknown; excludedAttributes?: unknown },
  ) {
    const selected = namesIn(schema, 'attributes', attributes);
    this.isSelection = selected.length > 0;
    this.names = new Set(
      this.isSelection ? selected : namesIn(schema, 'excludedAttributes', excludedAttributes),
    );
  }

  /** Whether the request asks for the default attributes. */
  get isDefault(): boolean {
    return this.names.size === 0;
  }

  /** Whether an attribute, or a part of it, is shown. An attribute that is not shown need not be read. */
  shows(name: string): boolean {
    if (!this.isSelection) return !this.names.has(name);
    return this.names.has(name) || [...this.names].some((selected) => selected.startsWith(`${name}.`));
  }

  apply(resource: Shown): Shown {
    if (this.isDefault) return resource;
    const entries = Object.entries(resource).map(([name, value]): [string, unknown] => {
      const isAlways = resolve(this.schema, name)?.attribute?.returned === 'always';
      return [name, isAlways ? value : this.part(name, value)];
    });
    return defined(entries);
  }

  /** The parts of the value that are shown. */
  private part(path: string, value: unknown): unknown {
    if (this.names.has(path)) return this.isSelection ? value : undefined;
    if (Array.isArray(value)) {
      const elements = value
        .map((element) => this.part(path, element))
        .filter((element) => element !== undefined);
      return elements.length || !this.isSelection ? elements : undefined;
    }
    if (typeof value !== 'object' || value === null) return this.isSelection ? undefined : value;
    const separator = path === this.schema.extension?.id ? ':' : '.';
    const parts = defined(
      Object.entries(value).map(([sub, part]) => [sub, this.part(`${path}${separator}${sub}`, part)]),
    );
    return Object.keys(parts).length ? parts : undefined;
  }
}

function namesIn(schema: ResourceSchema, parameter: string, given: unknown): string[] {
  if (given === undefined || given === null) return [];
  const names = typeof given === 'string' ? withoutFilters(given).split(',') : given;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
    throw invalidValue(`${parameter} must be a list of names`);
  return names
    .map((name: string) => canonical(schema, withoutFilters(name).trim()))
    .filter((name) => name !== '');
}

/** From a bracket to its end, or to that of the text. A bracket in a quoted string is not the end. Linear in time. */
const FILTER = /\[(?:"(?:[^"\\]|\\[^]?)*"?|[^\]"])*(\]?)/g;

/** `emails[type eq "a,b"].value` means `emails.value`. Throws a 400 for a filter without its end. */
const withoutFilters = (names: string): string =>
  names.replace(FILTER, (_filter, end: string) => {
    if (end) return '';
    throw invalidValue('A filter in a list of attributes must end with ]');
  });

/** An unknown name is kept as it is: a request for it alone gets only `id` and `schemas`. */
function canonical(schema: ResourceSchema, name: string): string {
  const { extension, attribute, sub } = resolve(schema, name) ?? {};
  const path = (part: Attribute) => (sub ? `${part.name}.${sub.name}` : part.name);
  if (!attribute) return extension ?? name;
  return extension ? `${extension}:${path(attribute)}` : path(attribute);
}

const defined = (entries: [string, unknown][]): Shown =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined));
