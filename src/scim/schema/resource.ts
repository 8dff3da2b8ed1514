import { isObject } from '../../http/input/checks';
import { invalidSyntax, invalidValue } from './scim-error';
import { type Attribute } from './attribute';
import { type ResourceSchema, type Reference, resolve, resolveInExtension } from './resource-schema';
import { type Complex, isAbsent, valueOf, MAX_ELEMENTS } from './values';

/** The writable part of a resource: canonical names → values. */
export type Resource = Complex;

const MAX_BYTES = 16 * 1024;

/**
 * The writable attributes in the body of a POST or PUT, by their canonical names. Unknown and read-only attributes are
 * left out; null, "" and [] count as absent. Throws 400 `invalidValue` for a wrong type or a missing mandatory one.
 */
export function normalize(schema: ResourceSchema, body: unknown): Resource {
  if (!isObject(body)) throw invalidSyntax('The body must be an object');
  const resource: Resource = {};
  for (const name of Object.keys(body)) {
    const reference = resolve(schema, name);
    if (reference?.extension && !reference.attribute) writeExtension(schema, resource, body[name]);
    else if (reference) write(resource, reference, body[name]);
  }
  for (const name of schema.mandatory) {
    if (resource[name] === undefined) throw invalidValue(`${name} is required`);
  }
  return resource;
}

function writeExtension(schema: ResourceSchema, resource: Resource, given: unknown): void {
  const { id } = schema.extension!;
  if (isAbsent(given)) return;
  if (!isObject(given)) throw invalidValue(`${id} must be an object`);
  for (const [name, part] of Object.entries(given)) {
    const reference = resolveInExtension(schema, name);
    if (reference) write(resource, reference, part);
  }
}

function write(resource: Resource, { extension, attribute, sub }: Reference, given: unknown): void {
  if (!attribute || sub || !isWritable(attribute)) return;
  const value = valueOf(attribute, given);
  if (value === undefined) return;
  const container = extension ? extensionOf(resource, extension) : resource;
  container[attribute.name] = value;
}

export const isWritable = ({ mutability }: Attribute) => mutability === 'readWrite';

/** The extension's part of the resource, created if it is absent. */
export const extensionOf = (resource: Resource, urn: string): Complex => (resource[urn] ??= {}) as Complex;

/**
 * Limits the attributes of a user. Attributes that have not changed may exceed the limits, because a change through the
 * API may have made them larger.
 */
export function refuseLarge(resource: Resource, old: Resource = {}): void {
  for (const [name, value] of Object.entries(resource)) {
    if (lengthOf(value) > Math.max(MAX_ELEMENTS, lengthOf(old[name])))
      throw invalidValue(`${name} must have at most ${MAX_ELEMENTS} values`);
  }
  if (sizeOf(resource) > Math.max(MAX_BYTES, sizeOf(old)))
    throw invalidValue('The attributes must have at most 16 KB as JSON');
}

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);
const sizeOf = (resource: Resource) => Buffer.byteLength(JSON.stringify(resource));
