import { SOURCES } from '../../src/platform/http/wire-format';
import { SCOPES } from '../../src/platform/http/scopes';
import { EVENT_TARGETS, EVENT_TYPES } from '../../src/events/event/event.types';
import { TOKEN_STATES } from '../../src/tokens/token/token.dto';
import { ROLES } from '../../src/users/user/user.entity';
import { DELIVERY_ERRORS } from '../../src/webhooks/address/delivery-error';
import { DELIVERY_STATES } from '../../src/webhooks/deliveries/delivery.entity';
import { ORDERINGS, PAYLOADS } from '../../src/webhooks/webhook/webhook.entity';
import { fieldsOf, type Schema } from './constraints';
import { directorySchema } from './directory';

/** The schemas in OpenAPI 3.1, with the checks of the DTOs and under their public names. */
export function schemasOf(generated: Record<string, Schema>, bodies: Function[]): Record<string, Schema> {
  const schemas = Object.fromEntries(
    Object.entries(generated).map(([name, schema]) => [publicName(name), toOpenApi31(schema)]),
  );
  for (const dto of bodies) {
    const name = publicName(dto.name);
    // The plugin supports neither PartialType() nor OmitType(): UpdateUser and MergeUser have the fields of CreateUser.
    const { properties } = schemas[name.replace(/^(Update|Merge)/, 'Create')];
    const own = schemas[name].properties;
    schemas[name] = strict({ ...schemas[name], properties: { ...properties, ...own } }, dto);
  }
  delete schemas.Object; // the plugin's, of the routes of documents, which nothing refers to
  const { properties } = schemas.CreateUser;
  const identityBy = (...names: string[]): Schema => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string', ...IDENTITIES[name] }])),
    required: names,
    additionalProperties: false,
  });
  return {
    ...schemas,
    Batch: withProperties(schemas.Batch, { users: { items: reference('BatchUser') } }),
    BatchUser: {
      type: 'object',
      description:
        'An element of a batch: a user as in a POST, or the fields to change and the one that identifies the user.',
      properties: {
        id: { ...schemas.User.properties!.id, description: 'Only with `by: "id"`.' },
        ...properties,
        metadata: {
          ...schemas.MergeUser.properties!.metadata, // whose limits hold for what becomes of it
          description:
            'Replaces the metadata as a whole; with `merge: true` it is merged (RFC 7396): a key that is null is removed, ' +
            'and other keys stay. The limits hold for the result.',
        },
      },
      additionalProperties: false,
    },
    Directory: directorySchema(),
    ...Object.fromEntries(
      ['User', 'DeletedUser', 'UserExport'].map((name) => [name, withDirectory(schemas[name])]),
    ),
    BatchDelete: withProperties(schemas.BatchDelete, { users: { items: reference('UserIdentity') } }),
    BatchRestore: withProperties(schemas.BatchRestore, { users: { items: identityBy('id') } }),
    UserIdentity: {
      ...identityBy('id', 'email', 'externalId'),
      required: undefined,
      description: 'The one field that identifies a user: the `id`, or another one that `by` names.',
    },
    ...Object.fromEntries(
      ['BatchResult', 'BatchDeleteResult', 'BatchRestoreResult'].map((name) => [
        name,
        withProperties(schemas[name], { errors: { type: 'array', items: reference('Fault') } }),
      ]),
    ),
    Problem: PROBLEM,
    Fault: FAULT,
  };
}

const IDENTITIES: Record<string, Schema> = {
  id: { description: 'The id.', examples: ['usr_01kacpb2w5r8y3h6j9m4n7p0qx'] },
  email: { description: 'The email address; letter case is ignored.', examples: ['ada@example.com'] },
  externalId: { description: 'Your own id of the user.', examples: ['E-4711'] },
};

const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** The attributes of a directory, or null. The description and the example are those of the property. */
const withDirectory = (schema: Schema): Schema => {
  const { description, examples } = schema.properties!.directory;
  return {
    ...schema,
    properties: {
      ...schema.properties,
      directory: { description, anyOf: [reference('Directory'), { type: 'null' }], examples },
    },
  };
};

const withProperties = (schema: Schema, properties: Record<string, Schema>): Schema => {
  const changed = Object.entries(properties).map(([name, property]) => [
    name,
    { ...schema.properties![name], ...property },
  ]);
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(changed) } };
};

export const publicName = (name: string) => name.replace(/(Dto|View)$/, '');

/** The schema of a request body, which allows no unknown fields. */
const strict = (schema: Schema, dto: Function): Schema => {
  const fields = fieldsOf(dto);
  const properties = Object.entries(schema.properties ?? {})
    .filter(([name]) => name in fields) // of those of a Create, an Update may have only some
    .map(([name, property]) => [name, { ...property, ...orNull(property, fields[name].keywords) }]);
  // The plugin treats a field with a default as required.
  const required = schema.required?.filter((name) => !fields[name].isOptional);
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    required: required?.length ? required : undefined,
    additionalProperties: false,
  };
};

/** The checks do not say that a field may be null. */
const orNull = (property: Schema, keywords: Schema): Schema =>
  [property.type].flat().includes('null') ? { ...keywords, type: [keywords.type, 'null'] } : keywords;

const ORDERS: readonly (readonly unknown[])[] = [
  ROLES,
  SCOPES,
  TOKEN_STATES,
  Object.keys(EVENT_TARGETS),
  EVENT_TYPES,
  [...EVENT_TYPES, '*'],
  PAYLOADS,
  ORDERINGS,
  DELIVERY_STATES,
  DELIVERY_ERRORS,
  SOURCES,
  [200, 201, 400, 404, 409],
  [200, 400, 404, 409],
  [204, 400, 404, 409],
  ['validation_failed', 'not_found', 'conflict'],
];

/** Converts a schema from OpenAPI 3.0, and restores the order of enums, which TypeScript types do not keep. */
export function toOpenApi31(value: unknown): Schema {
  const convert = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(convert);
    if (typeof node !== 'object' || node === null) return node;
    const { nullable, example, ...rest } = node as Record<string, unknown>;
    const result = Object.fromEntries(Object.entries(rest).map(([key, child]) => [key, convert(child)]));
    if (result.type === 'number') result.type = 'integer'; // TypeScript does not tell; the service has no others
    if (nullable && Array.isArray(result.allOf)) {
      Object.assign(result, { anyOf: [...result.allOf, { type: 'null' }], examples: [null] });
      delete result.allOf;
      delete result.type;
    } else if (nullable) Object.assign(result, { type: [result.type, 'null'], examples: [null] });
    if (example !== undefined) result.examples = [example];
    if (Array.isArray(result.enum)) {
      const values: unknown[] = result.enum;
      const ordered = ORDERS.find(
        (order) => order.length === values.length && values.every((v) => order.includes(v)),
      );
      result.enum = [...(ordered ?? values), ...(nullable ? [null] : [])];
    }
    if (typeof result.$ref === 'string') {
      result.$ref = result.$ref.replace(/[^/]+$/, publicName);
    }
    return result;
  };
  return convert(value) as Schema;
}

const PROBLEM: Schema = {
  type: 'object',
  description: 'The body of every error (RFC 9457).',
  properties: {
    title: { type: 'string', description: 'The name of the status.', examples: ['Bad Request'] },
    status: { type: 'integer', description: 'The status of the response.', examples: [400] },
    code: {
      type: 'string',
      description: 'What failed, for programs.',
      examples: ['validation_failed'],
      enum: [
        'validation_failed',
        'malformed_json',
        'unauthorized',
        'insufficient_scope',
        'network_not_allowed',
        'organization_suspended',
        'not_found',
        'method_not_allowed',
        'conflict',
        'precondition_failed',
        'precondition_required',
        'idempotency_mismatch',
        'idempotency_in_progress',
        'payload_too_large',
        'unsupported_media_type',
        'rate_limited',
        'unavailable',
        'internal_error',
        'bad_request',
        'request_timeout',
        'headers_too_large',
        'expectation_failed',
      ],
    },
    detail: { type: 'string', description: 'What failed, for people.', examples: ['1 field is invalid.'] },
    requestId: {
      type: 'string',
      description: 'The `X-Request-ID` of the response.',
      examples: ['3a5101a9-3992-49b0-9ed3-81ebaca42682'],
    },
    errors: {
      type: 'array',
      description: 'Every fault at once: on each 400, and on a 409 that a field is to blame for.',
      items: reference('Fault'),
    },
  },
  required: ['title', 'status', 'code', 'detail', 'requestId'],
  additionalProperties: false,
};

const FAULT: Schema = {
  type: 'object',
  description: 'What is wrong with a field.',
  properties: {
    field: {
      type: 'string',
      description:
        'The name of the field or query parameter, such as `email` or `metadata.plan`; `body` for the whole body.',
      examples: ['email'],
    },
    code: {
      type: 'string',
      description: 'What is wrong with it, for programs.',
      examples: ['invalid'],
      enum: [
        'required',
        'unknown',
        'immutable',
        'taken',
        'invalid',
        'too_short',
        'too_long',
        'too_many',
        'out_of_range',
        'not_found',
      ],
    },
    message: {
      type: 'string',
      description: 'The same for people; it completes "<field> …".',
      examples: ['must be an email address'],
    },
  },
  required: ['field', 'code', 'message'],
  additionalProperties: false,
};
