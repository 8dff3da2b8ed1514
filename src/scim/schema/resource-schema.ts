import { type Attribute, COMMON_ATTRIBUTES, type ScimSchema } from './attribute';

interface Declaration {
  name: 'User' | 'Group';
  endpoint: string;
  core: ScimSchema;
  extension?: ScimSchema;
  /** Attributes that are accepted although no schema declares them. */
  undeclared?: readonly Attribute[];
  /** Attributes that a POST or PUT must have. */
  mandatory: readonly string[];
  /** Attributes that a PATCH cannot remove. */
  irremovable: readonly string[];
}

export interface ResourceSchema extends Declaration {
  /** All attributes outside the extension, by lower-case name. */
  byName: ReadonlyMap<string, Attribute>;
  extensionByName: ReadonlyMap<string, Attribute>;
}

/** The attribute that a name refers to; absent if the name is an extension's URN alone. */
export interface Reference {
  /** The URN of the extension that the attribute is in. */
  extension?: string;
  attribute?: Attribute;
  sub?: Attribute;
}

export const resourceSchema = (declaration: Declaration): ResourceSchema => ({
  ...declaration,
  byName: byName([...COMMON_ATTRIBUTES, ...(declaration.undeclared ?? []), ...declaration.core.attributes]),
  extensionByName: byName(declaration.extension?.attributes ?? []),
});

const byName = (attributes: readonly Attribute[]) =>
  new Map(attributes.map((attribute) => [attribute.name.toLowerCase(), attribute]));

export const subAttribute = (attribute: Attribute, name: string): Attribute | undefined =>
  attribute.subAttributes?.find((sub) => sub.name.toLowerCase() === name.toLowerCase());

/**
 * Resolves a name such as `emails`, `name.givenName`, `urn:…:User:department` or an extension's URN; undefined if it is
 * unknown. Letter case is ignored, and attributes of the extension may be named without its URN.
 */
export function resolve(schema: ResourceSchema, name: string): Reference | undefined {
  const core = withoutUrn(schema.core.id, name);
  if (core) return referenceTo(schema.byName, core);
  const extension = schema.extension?.id;
  if (!extension) return referenceTo(schema.byName, name);
  if (name.toLowerCase() === extension.toLowerCase()) return { extension };
  const inExtension = withoutUrn(extension, name);
  if (inExtension) return resolveInExtension(schema, inExtension);
  return referenceTo(schema.byName, name) ?? resolveInExtension(schema, name);
}

export function resolveInExtension(schema: ResourceSchema, name: string): Reference | undefined {
  const reference = referenceTo(schema.extensionByName, name);
  return reference && { ...reference, extension: schema.extension!.id };
}

const withoutUrn = (urn: string, name: string) =>
  name.toLowerCase().startsWith(`${urn.toLowerCase()}:`) ? name.slice(urn.length + 1) : undefined;

function referenceTo(attributes: ReadonlyMap<string, Attribute>, name: string): Reference | undefined {
  const dot = name.indexOf('.');
  const attribute = attributes.get((dot < 0 ? name : name.slice(0, dot)).toLowerCase());
  if (!attribute || dot < 0) return attribute && { attribute };
  const sub = subAttribute(attribute, name.slice(dot + 1));
  return sub && { attribute, sub };
}
