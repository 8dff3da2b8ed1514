/**
 * @slow it sends every field of every request a hundred values
 * @only embedded postgres: the document does not depend on the database
 */
import { randomBytes } from 'node:crypto';
import document from '../../openapi.json';
import { OPERATOR_WINDOW } from '../../src/platform/rate-limit/token-windows';
import type { Client } from '../support/client';
import { EMAILS, long, nested, TEXTS, VALUES, words } from '../support/hostile';
import { isValidInput } from '../support/openapi';
import { ORGANIZATIONS } from '../support/operator';
import { OPERATOR_TOKEN } from '../support/routes';
import { startService, type TestService } from '../support/service';

let service: TestService;
beforeAll(async () => {
  const WEBHOOK_ENCRYPTION_KEY = randomBytes(32).toString('base64');
  service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000', WEBHOOK_ENCRYPTION_KEY, OPERATOR_TOKEN });
});
beforeEach(() => void jest.replaceProperty(OPERATOR_WINDOW, 'rateLimit', 1_000_000)); // which no setting changes
afterAll(() => service.close());

interface Exception {
  reason: string;
  accepted: boolean;
  /** Default: all. */
  fields?: string[];
  /** Default: all. */
  values?: unknown[];
}

/** Where the service and the document differ, with the reason why the document cannot, or should not, say it. */
const EXCEPTIONS: Exception[] = [
  {
    reason:
      'These hold at any depth. Only a recursive schema could say so, which would spoil generated types.',
    accepted: false,
    values: [
      ...[
        'a\0b',
        '\ud800',
        'a@b\udc00.com',
        { key: 'a\0' },
        { key: ['\ud800'] },
        { 'a\0': 1 },
        { '\ud800': 1 },
      ],
      ...[
        nested(9),
        { a: [nested(7)] },
        { a: 2 ** 53 },
        { a: [-(2 ** 53)] },
        { constructor: 1 },
        { a: { prototype: 1 } },
      ],
      JSON.parse('{"__proto__":1}'),
    ],
  },
  {
    reason: 'JSON Schema counts no bytes.',
    accepted: false,
    fields: ['metadata'],
    values: [{ a: long(8 * 1024) }],
  },
  { reason: 'JSON Schema counts no words.', accepted: false, fields: ['q'], values: [words(11)] },
  {
    reason: 'JSON Schema counts no bytes and knows no compatibility forms of characters.',
    accepted: false,
    fields: ['email'],
    values: [
      `${'a'.repeat(65)}@b.com`,
      `${long(33)}@b.com`,
      `a@${'b'.repeat(64)}.com`,
      'a@ｂ.com',
      'a＠b@c.com',
    ],
  },
  { reason: 'Only the service knows its cursors.', accepted: false, fields: ['cursor'] },
  {
    reason: 'The limit of the service is a setting.',
    accepted: false,
    fields: ['rateLimit'],
    values: [2 ** 53 - 1],
  },
  {
    reason:
      'White space around a text is removed before its length is checked. Forms and generators need maxLength.',
    accepted: true,
    fields: ['name', 'email', 'q', 'displayName', 'description', 'externalId'],
    values: [` ${'x'.repeat(100)}`, `${'x'.repeat(200)}\n`, `a@b.com${' '.repeat(254)}`],
  },
  {
    reason: 'It depends on another field, which generated types could not say.',
    accepted: false,
    fields: ['by'],
    values: ['email'],
  },
  {
    reason: 'An element of a batch that is wrong is refused in its place, and the batch is answered.',
    accepted: true,
    fields: ['users'],
    values: VALUES.filter((value) => Array.isArray(value) && value.length > 0),
  },
];
const exceptional = EXCEPTIONS.flatMap(({ values = [] }) => values);
const texts = [...TEXTS, ...exceptional.filter((value) => typeof value === 'string')];
const values = [undefined, ...texts, ...VALUES, ...exceptional.filter((value) => typeof value !== 'string')];
const used = new Set<Exception>();

/** The difference between the document and the response to a request with this value, unless it is an exception. */
function difference(field: string, value: unknown, valid: boolean, status: number): string[] {
  if (![200, 201, 202, 400, 409].includes(status)) return [`${field}: ${JSON.stringify(value)} is ${status}`];
  const accepted = status !== 400; // a taken email is a valid one
  if (accepted === valid) return [];
  const exception = EXCEPTIONS.find(
    ({ accepted: expected, fields = [field], values = [value] }) =>
      expected === accepted && fields.includes(field) && values.includes(value),
  );
  if (exception) used.add(exception);
  return exception
    ? []
    : [`${field}: ${JSON.stringify(value)?.slice(0, 99)} is valid: ${valid}, but ${status}`];
}

interface Operation {
  tags: string[];
  parameters: { name: string; in: string; required: boolean; schema: { examples: unknown[] } }[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
}
interface BodySchema {
  properties: Record<string, { examples: unknown[] }>;
  required?: string[];
}
const schemas = document.components.schemas as unknown as Record<string, BodySchema>;
const operations = Object.entries(
  document.paths as unknown as Record<string, Record<string, Operation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method: method as 'get' | 'post',
    operation,
  })),
);

/** Not with the client, which compares each response with the document. */
async function statusOf(
  { tokenValue }: Client,
  method: string,
  path: string,
  body?: string,
  type = 'application/json',
): Promise<number> {
  const headers = {
    authorization: `Bearer ${path.startsWith(ORGANIZATIONS) ? OPERATOR_TOKEN : tokenValue}`,
    ...(body && { 'content-type': type }),
  };
  const response = await fetch(service.url + path, { method: method.toUpperCase(), headers, body });
  await response.arrayBuffer();
  return response.status;
}

/** Fields that no request has, so that one value is as wrong as another. */
const UNKNOWN = ['unknown', 'page', 'id', 'version', 'createdAt', 'updatedAt'];

/** Sends a value at a time as each field, all values at once, and returns the differences. */
async function compare(
  fields: string[],
  values: unknown[],
  send: (field: string, value: unknown) => Promise<{ valid: boolean; status: number }>,
): Promise<string[]> {
  const differences: string[] = [];
  for (const field of fields) {
    const sent = UNKNOWN.includes(field) ? ['a', 1] : [...values, ...(field === 'email' ? EMAILS : [])];
    const found = sent.map(async (value) => {
      const { valid, status } = await send(field, value);
      return difference(field, value, valid, status);
    });
    differences.push(...(await Promise.all(found)).flat());
  }
  return differences;
}

/** The id of a new webhook, to which nothing is sent. */
async function webhookOf(api: Client): Promise<string> {
  const webhook = { url: 'https://example.com', types: ['user.purged'], enabled: false };
  const { body } = await api.post('/api/v1/webhooks').send(webhook);
  return body.id;
}

const withoutBody = operations.filter(({ operation }) => !operation.requestBody);
const queried = withoutBody.filter(({ operation }) =>
  operation.parameters.some((each) => each.in === 'query'),
);

describe.each(queried)('$method $path', ({ path, method, operation }) => {
  it('accepts the query parameters that openapi.json allows, and no others', async () => {
    const api = await service.client();
    const id = path.startsWith(ORGANIZATIONS) ? api.organizationId : await webhookOf(api);
    const served = path.replace('{id}', id);
    const parameters = operation.parameters.filter((parameter) => parameter.in === 'query');
    const required = Object.fromEntries(
      parameters
        .filter((parameter) => parameter.required)
        .map(({ name, schema }) => [name, schema.examples[0]]),
    );
    const fields = [...parameters.map(({ name }) => name), 'unknown', 'page'];
    const queries = [undefined, ...texts.filter((text) => text.isWellFormed()), ['a', 'b'], ['1', '2']];
    const differences = await compare(fields, queries, async (name, value) => {
      const query: Record<string, unknown> = { ...required, [name]: value };
      if (value === undefined) delete query[name];
      const search = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) {
        for (const one of [value].flat()) search.append(name, String(one));
      }
      return {
        valid: isValidInput(method, path, { query }),
        status: await statusOf(api, method, `${served}?${search}`),
      };
    });
    expect(differences).toEqual([]);
  });
});

const withBody = operations
  .filter(
    ({ path, operation }) =>
      operation.requestBody &&
      path !== '/oauth/token' && // a form, whose unknown fields are ignored
      // It takes an event or a time, which a schema without alternatives does not say.
      !path.endsWith('/redeliver'),
  )
  .flatMap((tested) =>
    Object.keys(tested.operation.requestBody!.content).map((type) => ({ ...tested, type })),
  );

describe.each(withBody)('$method $path, as $type', (tested) => {
  const { path, method, operation, type } = tested;

  it('accepts the bodies that openapi.json allows, and no others', async () => {
    const api = await service.client();
    const id = path.startsWith(ORGANIZATIONS)
      ? api.organizationId
      : path.includes('/webhooks/')
        ? await webhookOf(api)
        : path.includes('/users/')
          ? (await api.createUser()).id
          : api.tokenId;
    const name = operation.requestBody!.content[type].schema.$ref.split('/').at(-1)!;
    const { properties, required = [] } = schemas[name];
    const base = Object.fromEntries(required.map((field) => [field, properties[field].examples[0]]));
    const send = async (body: unknown) => {
      const status = await statusOf(api, method, path.replace('{id}', id), JSON.stringify(body), type);
      // The user of this id is not deleted, which turns out only once the body has been accepted.
      const isAccepted = status === 404 && path.includes('/deleted-users/');
      return { valid: isValidInput(method, path, { body, type }), status: isAccepted ? 200 : status };
    };
    // The limits of merged metadata hold for the result, which depends on the user.
    const compared = Object.keys(properties).filter(
      (field) => type === 'application/json' || field !== 'metadata',
    );
    const fields = [...compared, ...UNKNOWN];
    const differences = await compare(fields, values, (field, value) => {
      const body = { ...base, [field]: value };
      if (value === undefined) delete body[field];
      return send(body);
    });
    const whole = [{}, null, [], [base], 'text', 1, true];
    expect([...differences, ...(await compare(['body'], whole, (_, body) => send(body)))]).toEqual([]);
  });
});

it('needs every exception', () => {
  expect(EXCEPTIONS.filter((exception) => !used.has(exception)).map(({ reason }) => reason)).toEqual([]);
});
