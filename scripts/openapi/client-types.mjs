// Generates the client's types from the OpenAPI document: one per schema, and one per operation with query parameters.

/** TypeScript source with one exported interface each. */
export function typesOf({ components, paths }) {
  const schemas = Object.entries(components.schemas)
    .filter(([, { properties = {} }]) => Object.keys(properties).length > 0) // a body without fields needs no type
    .map(([name, schema]) => declaration(name, schema));
  const queries = Object.entries(QUERIES).map(([name, path]) => {
    const parameters = paths[path].get.parameters.filter((parameter) => parameter.in === 'query');
    const properties = Object.fromEntries(
      parameters.map(({ name, schema, description }) => [name, { ...schema, description }]),
    );
    const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
    return declaration(name, { properties, required });
  });
  return ['// Written by `npm run openapi` from openapi.json.', ...schemas, ...queries].join('\n\n');
}

const QUERIES = {
  ListUsersQuery: '/api/v1/users',
  SearchUsersQuery: '/api/v1/users/search',
  ListDeletedUsersQuery: '/api/v1/deleted-users',
  ListGroupsQuery: '/api/v1/groups',
  ListTokensQuery: '/v1/tokens',
  ListEventsQuery: '/api/v1/events',
  ListWebhooksQuery: '/api/v1/webhooks',
  ListDeliveriesQuery: '/api/v1/webhooks/{id}/deliveries',
};

const declaration = (name, schema) => `${comment(schema)}export interface ${name} ${fields(schema)}`;

function fields({ properties = {}, required = [] }) {
  const lines = Object.entries(properties).map(
    ([name, schema]) => `${comment(schema)}${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};`,
  );
  return `{\n${lines.join('\n')}\n}`;
}

function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if (schema.allOf) return typeOf(schema.allOf[0]); // a reference with a description
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  return [schema.type]
    .flat()
    .map((type) => {
      if (type === 'array') return `(${typeOf(schema.items)})[]`;
      if (type === 'object') return schema.properties ? fields(schema) : 'Record<string, unknown>';
      return type === 'integer' ? 'number' : type;
    })
    .join(' | ');
}

const comment = ({ description }) => (description ? `/** ${description} */\n` : '');
