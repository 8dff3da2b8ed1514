import { SCOPES } from '../../src/http/scopes';
import { factsOf } from '../../src/http/input/facts';
import { CreateTokenDto, TOKEN_STATES } from '../../src/tokens/tokens.dto';
import { ROLES } from '../../src/users/user.fields';
import { CreateUserDto } from '../../src/users/users.dto';

export type Schema = Record<string, unknown> & { properties?: Record<string, Schema>; required?: string[] };

/** What a field may be, as its checks know it. The rest of a fact is for this generator and not for readers. */
export const withFacts = (schema: Schema, facts: object = {}): Schema => {
  const { optional: _optional, refused: _refused, ...known } = facts as Record<string, unknown>;
  return { ...schema, ...known };
};

/** The schemas in the words of OpenAPI 3.1, with the facts of the checks and under the names that callers know. */
export function schemasOf(read: Record<string, Schema>): Record<string, Schema> {
  const schemas = Object.fromEntries(
    Object.entries(read).map(([name, schema]) => [publicName(name), modern(schema)]),
  );
  const create = strict(schemas.CreateUser, CreateUserDto.prototype);
  return {
    ...schemas,
    CreateUser: create,
    // PartialType() is not seen by the plugin.
    UpdateUser: { type: 'object', properties: create.properties, additionalProperties: false },
    CreateToken: strict(schemas.CreateToken, CreateTokenDto.prototype),
    Problem: PROBLEM,
  };
}

export const publicName = (name: string) => name.replace(/(Dto|View)$/, '');

/** What may be sent: nothing that is not known. */
const strict = (schema: Schema, prototype: object): Schema => {
  const facts = factsOf(prototype);
  const fields = Object.entries(schema.properties!).map(([name, field]) => [
    name,
    withFacts(field, facts[name]),
  ]);
  return { ...schema, properties: Object.fromEntries(fields), additionalProperties: false };
};

const ORDERS: readonly (readonly string[])[] = [ROLES, SCOPES, TOKEN_STATES];

/** From the dialect of 3.0; and closed sets in their own order, which a type does not keep. */
export function modern(value: unknown): Schema {
  const convert = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(convert);
    if (typeof node !== 'object' || node === null) return node;
    const { nullable, example, ...rest } = node as Record<string, unknown>;
    const result = Object.fromEntries(Object.entries(rest).map(([key, child]) => [key, convert(child)]));
    if (nullable) result.type = [result.type, 'null'];
    if (example !== undefined) result.examples = [example];
    if (Array.isArray(result.enum)) {
      const values = result.enum as string[];
      result.enum =
        ORDERS.find((order) => order.length === values.length && values.every((v) => order.includes(v))) ??
        values;
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
  description: 'The one body of every failure (RFC 9457).',
  properties: {
    title: { type: 'string' },
    status: { type: 'integer' },
    code: {
      type: 'string',
      enum: [
        'validation_failed',
        'malformed_json',
        'unauthorized',
        'insufficient_scope',
        'not_found',
        'method_not_allowed',
        'conflict',
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
    detail: { type: 'string', description: 'For people.' },
    requestId: { type: 'string', description: 'The X-Request-ID of the response.' },
    errors: {
      type: 'array',
      description: 'On every 400 and 409: all faults at once.',
      items: {
        type: 'object',
        properties: {
          field: {
            type: 'string',
            description: 'Its name, such as `email` or `metadata.plan`; `body` for the whole.',
          },
          code: {
            type: 'string',
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
            ],
          },
          message: { type: 'string', description: 'For people; completes "<field> …".' },
        },
        required: ['field', 'code', 'message'],
        additionalProperties: false,
      },
    },
  },
  required: ['title', 'status', 'code', 'detail', 'requestId'],
  additionalProperties: false,
};
