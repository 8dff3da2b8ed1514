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
  /** Everything that a name can refer to, by lower-case name: a body may name tens of thousands. */
  references: ReadonlyMap<string, Reference>;
}

/** The attribute that a name refers to; absent if the name is an extension's URN alone. */
export interface Reference {
  /** The URN of the extension that the attribute is in. */
  extension?: string;
  attribute?: Attribute;
  sub?: Attribute;
}

export function resourceSchema(declaration: Declaration): ResourceSchema {
  const { core, extension, undeclared = [] } = declaration;
  const attributes = [...COMMON_ATTRIBUTES, ...undeclared, ...core.attributes];
  const inCore = attributes.flatMap((attribute) => namesOf({ attribute }));
  const inExtension = (extension?.attributes ?? []).flatMap((attribute) =>
    namesOf({ attribute, extension: extension!.id }),
  );
  return {
    ...declaration,
    references: new Map([
      ...inExtension, // without its URN, an attribute of the core with the same name takes precedence
      ...inCore,
      ...withUrn(core.id, inCore),
      ...(extension ? withUrn(extension.id, inExtension) : []),
      ...(extension ? [[extension.id.toLowerCase(), { extension: extension.id }] as const] : []),
    ]),
  };
}

type Named = readonly [name: string, reference: Reference];

/** The names of an attribute and of its sub-attributes. */
const namesOf = (reference: Required<Pick<Reference, 'attribute'>> & Reference): Named[] => {
  const { name, subAttributes = [] } = reference.attribute;
  return [
    [name.toLowerCase(), reference],
    ...subAttributes.map((sub): Named => [`${name}.${sub.name}`.toLowerCase(), { ...reference, sub }]),
  ];
};

const withUrn = (urn: string, named: readonly Named[]): Named[] =>
  named.map(([name, reference]) => [`${urn.toLowerCase()}:${name}`, reference]);

export const subAttribute = (attribute: Attribute, name: string): Attribute | undefined =>
  attribute.subAttributes?.find((sub) => sub.name.toLowerCase() === name.toLowerCase());

/**
 * Resolves a name such as `emails`, `name.givenName`, `urn:…:User:department` or an extension's URN; undefined if it is
 * unknown. Letter case is ignored, and attributes of the extension may be named without its URN.
 */
export const resolve = (schema: ResourceSchema, name: string): Reference | undefined =>
  schema.references.get(name.toLowerCase());

/** Resolves a name in the object of the extension. */
export const resolveInExtension = (schema: ResourceSchema, name: string): Reference | undefined =>
  resolve(schema, `${schema.extension!.id}:${name}`);
