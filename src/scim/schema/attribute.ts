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

/** A list of complex values. */
export const list = (
  name: string,
  description: string,
  subAttributes: readonly Attribute[],
  options: Options = {},
): Attribute => complex(name, description, subAttributes, { multiValued: true, ...options });

export const type = (canonicalValues?: readonly string[]) =>
  attribute('type', 'What the value is for.', canonicalValues && { canonicalValues });

/** The address of a resource outside SCIM. */
export const EXTERNAL = { type: 'reference', referenceTypes: ['external'], caseExact: true } as const;

export const primary = attribute('primary', 'Whether this is the preferred value; true for at most one.', {
  type: 'boolean',
});

/** An id of another system, so letter case matters. */
export const externalId = attribute('externalId', 'The id of the resource in the directory.', {
  caseExact: true,
  maxLength: 512,
});

/** The attributes that every resource has although no schema declares them. */
export const COMMON_ATTRIBUTES: readonly Attribute[] = [
  attribute('schemas', 'The URNs of the schemas.', {
    multiValued: true,
    caseExact: true,
    mutability: 'readOnly',
    returned: 'always',
  }),
  attribute('id', 'The id.', { caseExact: true, mutability: 'readOnly', returned: 'always' }),
  complex(
    'meta',
    'Metadata of the resource.',
    [
      attribute('resourceType', 'The type.', { caseExact: true, mutability: 'readOnly' }),
      attribute('created', 'When the resource was created.', { type: 'dateTime', mutability: 'readOnly' }),
      attribute('lastModified', 'When the resource last changed.', {
        type: 'dateTime',
        mutability: 'readOnly',
      }),
      attribute('location', 'Its address.', { type: 'reference', caseExact: true, mutability: 'readOnly' }),
      attribute('version', 'The entity tag of the resource.', { caseExact: true, mutability: 'readOnly' }),
    ],
    { mutability: 'readOnly' },
  ),
];
