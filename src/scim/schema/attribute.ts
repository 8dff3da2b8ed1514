/** An attribute of a resource, in the terms of RFC 7643, section 7. */
export interface Attribute {
  name: string;
  /** The name, prefixed by that of the attribute around it, for error messages: `emails.value`. */
  path: string;
  description: string;
  type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'binary' | 'complex';
  multiValued: boolean;
  required: boolean;
  caseExact: boolean;
  mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly';
  returned: 'always' | 'never' | 'default';
  uniqueness: 'none' | 'server';
  canonicalValues?: readonly string[];
  referenceTypes?: readonly string[];
  subAttributes?: readonly Attribute[];

  // The published schema shows none of the following.

  /** In characters. */
  maxLength?: number;
  /** Whether a key of the user lets filters find it by this attribute. */
  isKeyed?: boolean;
}

export interface ScimSchema {
  id: string;
  name: string;
  description: string;
  attributes: readonly Attribute[];
}

type Options = Partial<Omit<Attribute, 'name' | 'path' | 'description'>>;

const DEFAULTS = {
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
} as const;

export const attribute = (name: string, description: string, options: Options = {}): Attribute => ({
  name,
  path: name,
  description,
  ...DEFAULTS,
  ...options,
});

export const complex = (
  name: string,
  description: string,
  subAttributes: readonly Attribute[],
  options: Options = {},
): Attribute =>
  attribute(name, description, {
    type: 'complex',
    subAttributes: subAttributes.map((sub) => ({ ...sub, path: `${name}.${sub.name}` })),
    ...options,
  });

export const type = (canonicalValues?: readonly string[]) =>
  attribute('type', 'What the value is for.', canonicalValues && { canonicalValues });

/** The options of an attribute with the address of a resource of this type. */
export const reference = (resourceType: 'User' | 'Group' | 'external') =>
  ({ type: 'reference', referenceTypes: [resourceType], caseExact: true }) as const;

/** An id of another system, so letter case matters. */
export const externalId = attribute('externalId', 'The id of the resource in the directory.', {
  caseExact: true,
  maxLength: 512,
});

const READ_ONLY = { mutability: 'readOnly' } as const;
const READ_ONLY_ID = { mutability: 'readOnly', caseExact: true } as const;

/** The attributes that every resource has although no schema declares them. */
export const COMMON_ATTRIBUTES: readonly Attribute[] = [
  attribute('schemas', 'The URNs of the schemas.', {
    ...READ_ONLY_ID,
    multiValued: true,
    returned: 'always',
  }),
  attribute('id', 'The id.', { ...READ_ONLY_ID, returned: 'always' }),
  complex(
    'meta',
    'Metadata of the resource.',
    [
      attribute('resourceType', 'The type.', READ_ONLY_ID),
      attribute('created', 'When the resource was created.', { ...READ_ONLY, type: 'dateTime' }),
      attribute('lastModified', 'When the resource last changed.', { ...READ_ONLY, type: 'dateTime' }),
      attribute('location', 'Its address.', { ...READ_ONLY_ID, type: 'reference' }),
      attribute('version', 'The entity tag of the resource.', READ_ONLY_ID),
    ],
    READ_ONLY,
  ),
];
