import type { Attribute, ScimSchema } from './attribute';
import { GROUP } from './group.schema';
import {
  PROTOCOL_SCHEMAS,
  RESOURCE_TYPE_URN,
  SCHEMA_URN,
  SERVICE_PROVIDER_CONFIG_URN,
} from './protocol.schema';
import type { ResourceSchema } from './resource-schema';
import { USER } from './user.schema';

// `base` is the absolute address of the root of SCIM, such as https://api.example.com/scim/v2.

export const MAX_RESULTS = 200;
export const DEFAULT_RESULTS = 100;

export const serviceProviderConfig = (base: string) => ({
  schemas: [SERVICE_PROVIDER_CONFIG_URN],
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
  schemas: [RESOURCE_TYPE_URN],
  id: name,
  name,
  description: core.description,
  endpoint,
  schema: core.id,
  ...(extension && { schemaExtensions: [{ schema: extension.id, required: false }] }),
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
});

const SCHEMAS: readonly ScimSchema[] = [USER.core, USER.extension!, GROUP.core, ...PROTOCOL_SCHEMAS];

export const schemas = (base: string) =>
  SCHEMAS.map(({ id, name, description, attributes }) => ({
    schemas: [SCHEMA_URN],
    id,
    name,
    description,
    attributes: attributes.map(shown),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  }));

const WITH_CASE: readonly Attribute['type'][] = ['string', 'reference', 'binary'];

function shown(attribute: Attribute): object {
  const { name, description, type, multiValued, required, caseExact, mutability } = attribute;
  const { returned, uniqueness, canonicalValues, referenceTypes, subAttributes } = attribute;
  return {
    name,
    type,
    multiValued,
    description,
    required,
    ...(WITH_CASE.includes(type) && { caseExact }),
    mutability,
    returned,
    uniqueness,
    ...(canonicalValues && { canonicalValues }),
    ...(referenceTypes && { referenceTypes }),
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
