import type { Attribute, ScimSchema } from './attribute';
import { GROUP } from './group.schema';
// The schemas of RFC 7643, section 8.7.2, and of RFC 9865. They describe what discovery returns, which is read-only.
import PROTOCOL_SCHEMAS from './protocol.schemas.json';
import type { ResourceSchema } from './resource-schema';
import { USER } from './user.schema';

// `base` is the absolute address of the root of SCIM, such as https://api.example.com/scim/v2.

export const MAX_RESULTS = 200;
export const DEFAULT_RESULTS = 100;

export const serviceProviderConfig = (base: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  pagination: {
    cursor: true,
    index: true,
    defaultPaginationMethod: 'index',
    defaultPageSize: DEFAULT_RESULTS,
    maxPageSize: MAX_RESULTS,
  },
  interopProfileConformant: false,
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'API token',
      description: 'Authorization: Bearer, with a token of the organization',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});

export const resourceTypes = (base: string) => [USER, GROUP].map((schema) => resourceType(schema, base));

const resourceType = ({ name, endpoint, core, extension }: ResourceSchema, base: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: name,
  name,
  description: core.description,
  endpoint,
  schema: core.id,
  ...(extension && { schemaExtensions: [{ schema: extension.id, required: false }] }),
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
});

const published = ({ id, name, description, attributes }: ScimSchema) => ({
  id,
  name,
  description,
  attributes: attributes.map(shown),
});

export const schemas = (base: string) =>
  [...[USER.core, USER.extension!, GROUP.core].map(published), ...PROTOCOL_SCHEMAS].map((schema) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }));

const WITH_CASE: readonly Attribute['type'][] = ['string', 'reference', 'binary'];

/** An attribute without what is only for this service. */
function shown({ path: _path, maxLength: _maxLength, isKeyed: _isKeyed, ...attribute }: Attribute): object {
  const { type, caseExact, subAttributes, ...others } = attribute;
  return {
    ...others,
    type,
    ...(WITH_CASE.includes(type) && { caseExact }),
    ...(subAttributes && { subAttributes: subAttributes.map(shown) }),
  };
}

/** The resources as a list of one page. */
export const listOf = <T>(resources: T[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults: resources.length,
  itemsPerPage: resources.length,
  startIndex: 1,
  Resources: resources,
});
