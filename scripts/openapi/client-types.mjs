// Generates the client's types from the OpenAPI document: one per schema, and one per operation with query parameters.

/** TypeScript source with one exported interface each. */
export function typesOf({ components, paths }) {
  const schemas = Object.entries(components.schemas)
    .filter(([, { properties = {} }]) => Object.keys(properties).length > 0) // a body without fields needs no type
    .map(([name, schema]) => declaration(name, schema));
  const queries = Object.values(paths)
    .map(({ get }) => ({
      ...get,
      query: get?.parameters.filter((parameter) => parameter.in === 'query') ?? [],
    }))
    .filter(({ query }) => query.length > 0)
    .map(({ operationId, query }) => {
      const properties = Object.fromEntries(
        query.map(({ name, schema, description }) => [name, { ...oneOrMore(schema), description }]),
      );
      const required = query.filter((parameter) => parameter.required).map(({ name }) => name);
      return declaration(queryName(operationId), { properties, required });
    });
  // Two lists may have the same parameters.
  const distinct = new Set([...schemas, ...queries]);
  return ['// Written by `npm run openapi` from openapi.json.', ...distinct].join('\n\n');
}

/** A list in a query may be one value by itself. */
const oneOrMore = (schema) => (schema.type === 'array' ? { anyOf: [schema.items, schema] } : schema);

/** `ListUsersQuery` for `users.list`, and `ListDeliveriesQuery` for `webhooks.listDeliveries`. */
function queryName(operationId) {
  const [resource, method] = operationId.split('.').map((word) => word[0].toUpperCase() + word.slice(1));
  return `${/[a-z][A-Z]/.test(method) ? method : `${method}${resource}`}Query`;
}

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
