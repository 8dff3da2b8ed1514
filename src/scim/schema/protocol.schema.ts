import {
  attribute,
  complex,
  EXTERNAL,
  list,
  MUTABILITIES,
  RETURNED,
  type ScimSchema,
  TYPES,
  UNIQUENESS,
} from './attribute';

// The schemas of RFC 7643, section 8.7.2, and of RFC 9865. They describe what discovery returns, which is read-only.

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';
export const SCHEMA_URN = `${CORE}:Schema`;
export const RESOURCE_TYPE_URN = `${CORE}:ResourceType`;
export const SERVICE_PROVIDER_CONFIG_URN = `${CORE}:ServiceProviderConfig`;

const READ_ONLY = { mutability: 'readOnly' } as const;
const GIVEN = { ...READ_ONLY, required: true } as const;
const EXACT = { ...READ_ONLY, caseExact: true } as const;
const URI = { ...EXACT, type: 'reference', referenceTypes: ['uri'] } as const;
const FLAG = { ...GIVEN, type: 'boolean' } as const;
const NUMBER = { ...GIVEN, type: 'integer' } as const;

const CHARACTERISTICS = [
  attribute('name', 'The name of the attribute.', { ...EXACT, required: true }),
  attribute('type', 'The type of its value.', { ...GIVEN, canonicalValues: TYPES }),
  attribute('multiValued', 'Whether it has several values.', FLAG),
  attribute('description', 'What the attribute is.', EXACT),
  attribute('required', 'Whether it must have a value.', { ...READ_ONLY, type: 'boolean' }),
  attribute('canonicalValues', 'Values that are suggested.', { ...EXACT, multiValued: true }),
  attribute('caseExact', 'Whether letter case matters.', { ...READ_ONLY, type: 'boolean' }),
  attribute('mutability', 'When it can be written.', { ...EXACT, canonicalValues: MUTABILITIES }),
  attribute('returned', 'When it is returned.', { ...EXACT, canonicalValues: RETURNED }),
  attribute('uniqueness', 'Where its value is unique.', { ...EXACT, canonicalValues: UNIQUENESS }),
  attribute('referenceTypes', 'What a reference may refer to.', { ...EXACT, multiValued: true }),
];

const supported = attribute('supported', 'Whether it is supported.', FLAG);

export const PROTOCOL_SCHEMAS: readonly ScimSchema[] = [
  {
    id: SCHEMA_URN,
    name: 'Schema',
    description: 'A schema: the attributes of a resource.',
    attributes: [
      attribute('id', 'The URN of the schema.', GIVEN),
      attribute('name', 'The name of the schema.', GIVEN),
      attribute('description', 'What the schema describes.', READ_ONLY),
      list(
        'attributes',
        'The attributes.',
        [
          ...CHARACTERISTICS,
          list('subAttributes', 'The parts of a complex attribute.', CHARACTERISTICS, READ_ONLY),
        ],
        GIVEN,
      ),
    ],
  },
  {
    id: RESOURCE_TYPE_URN,
    name: 'ResourceType',
    description: 'A type of resources.',
    attributes: [
      attribute('id', 'The id of the type, which is its name.', READ_ONLY),
      attribute('name', 'The name of the type.', { ...EXACT, required: true, uniqueness: 'server' }),
      attribute('description', 'What the resources are.', READ_ONLY),
      attribute('endpoint', 'The path of the resources, below the base URL.', {
        ...URI,
        required: true,
        uniqueness: 'server',
      }),
      attribute('schema', 'The URN of the schema of the resources.', { ...URI, required: true }),
      list(
        'schemaExtensions',
        'The extensions of the schema.',
        [
          attribute('schema', 'The URN of the extension.', { ...URI, required: true }),
          attribute('required', 'Whether every resource has it.', FLAG),
        ],
        READ_ONLY,
      ),
    ],
  },
  {
    id: SERVICE_PROVIDER_CONFIG_URN,
    name: 'ServiceProviderConfig',
    description: 'What the service supports.',
    attributes: [
      attribute('documentationUri', 'The address of the documentation.', { ...EXTERNAL, ...READ_ONLY }),
      complex('patch', 'PATCH.', [supported], GIVEN),
      complex(
        'bulk',
        'Several operations in one request.',
        [
          supported,
          attribute('maxOperations', 'The most operations in a request.', NUMBER),
          attribute('maxPayloadSize', 'The most bytes of a request.', NUMBER),
        ],
        GIVEN,
      ),
      complex(
        'filter',
        'Filters.',
        [supported, attribute('maxResults', 'The most resources in a response.', NUMBER)],
        GIVEN,
      ),
      complex('changePassword', 'Changing a password.', [supported], GIVEN),
      complex('sort', 'Sorting.', [supported], GIVEN),
      complex('etag', 'Entity tags.', [supported], GIVEN),
      complex(
        'pagination',
        'Pages of a list.',
        [
          attribute('cursor', 'Whether a page is found by a cursor.', FLAG),
          attribute('index', 'Whether a page is found by its position.', FLAG),
          attribute('defaultPaginationMethod', 'How a page is found when the request does not say.', {
            ...READ_ONLY,
            canonicalValues: ['cursor', 'index'],
          }),
          attribute('defaultPageSize', 'The resources in a page when the request does not say.', {
            ...READ_ONLY,
            type: 'integer',
          }),
          attribute('maxPageSize', 'The most resources in a page.', { ...READ_ONLY, type: 'integer' }),
        ],
        READ_ONLY,
      ),
      attribute('interopProfileConformant', 'Whether the SCIM Interoperability Profile holds.', {
        ...READ_ONLY,
        type: 'boolean',
      }),
      list(
        'authenticationSchemes',
        'The ways to authenticate.',
        [
          attribute('type', 'The kind of the scheme.', {
            ...GIVEN,
            canonicalValues: ['oauth', 'oauth2', 'oauthbearertoken', 'httpbasic', 'httpdigest'],
          }),
          attribute('name', 'The name of the scheme.', GIVEN),
          attribute('description', 'How the scheme is used.', GIVEN),
          attribute('specUri', 'The address of its specification.', { ...EXTERNAL, ...READ_ONLY }),
          attribute('documentationUri', 'The address of its documentation.', { ...EXTERNAL, ...READ_ONLY }),
          attribute('primary', 'Whether this is the preferred scheme.', { ...READ_ONLY, type: 'boolean' }),
        ],
        GIVEN,
      ),
    ],
  },
];
