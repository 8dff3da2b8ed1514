import document from '../openapi.json';
import type { Client } from './support/client';
import { isValidInput } from './support/openapi';
import { startService, type TestService } from './support/service';

let service: TestService;
beforeAll(async () => (service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' })));
afterAll(() => service.close());

const long = (length: number) => 'é'.repeat(length);
const nested = (levels: number): unknown => (levels === 0 ? 'x' : { x: nested(levels - 1) });
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i]));
const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');

/** Sent as every query parameter, and as every field of every body. */
const TEXTS = [
  ...[
    '',
    ' ',
    '\t\n',
    'a',
    ' a ',
    '字',
    '😀',
    'ab',
    ' ab ',
    'a b',
    'null',
    'true',
    '%',
    'a%_\\"\'',
    words(10),
  ],
  ...[100, 101, 199, 200, 201, 254, 255].map(long),
  ...['😀'.repeat(100), '😀'.repeat(200), '😀'.repeat(201)],
  ...['member', 'admin', 'viewer', 'Admin', ' admin', 'owner', 'active', 'expired', 'revoked', 'users:read'],
  ...['createdAt', 'updatedAt', 'name', 'email', 'role', 'asc', 'desc', 'ASC'],
  ...[
    '0',
    '1',
    '-1',
    '50',
    '007',
    '200',
    '201',
    '1.5',
    '1e2',
    '+5',
    ' 5',
    '0x10',
    '9007199254740993',
    '99999999999999999999',
  ],
  ...[
    '1d',
    '90d',
    '3650d',
    '3651d',
    '9999d',
    '0d',
    '01d',
    '090d',
    '1D',
    '1.5d',
    '-1d',
    'd',
    ' 1d',
    '1d\n',
    '1h',
    '٣d',
  ],
];

/** Also sent as `email`. */
const EMAILS = [
  ...[
    'ada@example.com',
    'ADA@Example.COM',
    ' ada@example.com ',
    'a@b.co',
    'a+b@example.com',
    "o'hara@example.com",
  ],
  ...[
    'b@exämple.com',
    'bé@exämple.com',
    '用户@例子.广告',
    'a@b.xn--p1ai',
    'a@xn--80ak6aa92e.com',
    'a@1.2.3.com',
    'a@b😀.com',
  ],
  ...[
    '"a b"@example.com',
    '"a@b"@example.com',
    'a.b.c@d-e.example',
    'a@b-.com',
    'a@-b.com',
    'a@b_c.com',
    'a@b..com',
  ],
  ...[
    'a',
    'a@',
    '@b.com',
    'a@b',
    'a@b.c',
    'a@b.12',
    'a@1.2.3.4',
    'a@[1.2.3.4]',
    'a..b@c.com',
    '.a@b.com',
    'a.@b.com',
  ],
  ...[
    'a b@c.com',
    'a@b c.com',
    'a@b@c.com',
    'Ada <ada@example.com>',
    'a(b)@c.com',
    'a,b@c.com',
    'a@b,com',
    'a@b.com.',
  ],
  ...[
    'a\u00a0b@c.com',
    'a@b\u00a0.com',
    'a\u200bb@c.com',
    `${'a'.repeat(64)}@b.com`,
    `a@${'b'.repeat(63)}.com`,
  ],
  ...[`a@${'b.'.repeat(124)}com`, `a@${'b.'.repeat(125)}com`, `a@${'b.'.repeat(126)}com`],
];

/** Sent as every field of every body. */
const VALUES = [
  ...[null, true, false, 0, 1, -1, 1.5, 50, 2 ** 53 - 1, [], {}, [null], [''], ['a'], [[]], [{}]],
  ...[
    ['users:read'],
    ['users:read', 'admin'],
    ['users:read', 'users:read'],
    ['users'],
    ['admin', null],
    'admin',
  ],
  ...[
    ['admin', 'users:delete', 'users:write', 'users:read'],
    { plan: 'pro' },
    { plan: null, seats: [1, { a: 1.5 }] },
  ],
  ...[
    keys(16),
    keys(17),
    { [long(64)]: 1 },
    { [long(65)]: 1 },
    { '': 1 },
    { ' ': 1 },
    nested(8),
    { length: 1 },
  ],
];

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
    reason:
      'White space around a text is removed before its length is checked. Forms and generators need maxLength.',
    accepted: true,
    fields: ['name', 'email', 'q'],
    values: [` ${'x'.repeat(100)}`, `${'x'.repeat(200)}\n`, `a@b.com${' '.repeat(254)}`],
  },
];
const exceptional = EXCEPTIONS.flatMap(({ values = [] }) => values);
const texts = [...TEXTS, ...exceptional.filter((value) => typeof value === 'string')];
const values = [undefined, ...texts, ...VALUES, ...exceptional.filter((value) => typeof value !== 'string')];
const used = new Set<Exception>();

/** The difference between the document and the response to a request with this value, unless it is an exception. */
function difference(field: string, value: unknown, valid: boolean, status: number): string[] {
  if (![200, 201, 400, 409].includes(status)) return [`${field}: ${JSON.stringify(value)} is ${status}`];
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
  requestBody?: { content: { 'application/json': { schema: { $ref: string } } } };
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

/** Not with the client, which opens a connection for each request. */
async function statusOf(
  { tokenValue }: Client,
  method: string,
  path: string,
  body?: string,
): Promise<number> {
  const headers = {
    authorization: `Bearer ${tokenValue}`,
    ...(body && { 'content-type': 'application/json' }),
  };
  const response = await fetch(service.url + path, { method: method.toUpperCase(), headers, body });
  await response.arrayBuffer();
  return response.status;
}

/** Sends a value at a time as each field, all values at once, and returns the differences. */
async function compare(
  fields: string[],
  values: unknown[],
  send: (field: string, value: unknown) => Promise<{ valid: boolean; status: number }>,
): Promise<string[]> {
  const differences: string[] = [];
  for (const field of fields) {
    const found = [...values, ...(field === 'email' ? EMAILS : [])].map(async (value) => {
      const { valid, status } = await send(field, value);
      return difference(field, value, valid, status);
    });
    differences.push(...(await Promise.all(found)).flat());
  }
  return differences;
}

const withoutBody = operations.filter(({ operation }) => !operation.requestBody);
const queried = withoutBody.filter(({ operation }) =>
  operation.parameters.some((each) => each.in === 'query'),
);

describe.each(queried)('$method $path', ({ path, method, operation }) => {
  it('accepts the query parameters that openapi.json allows, and no others', async () => {
    const api = await service.client();
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
        status: await statusOf(api, method, `${path}?${search}`),
      };
    });
    expect(differences).toEqual([]);
  });
});

describe.each(operations.filter(({ operation }) => operation.requestBody))('$method $path', (tested) => {
  const { path, method, operation } = tested;

  it('accepts the bodies that openapi.json allows, and no others', async () => {
    const api = await service.client();
    const id = path.includes('/users/') ? (await api.createUser()).id : api.tokenId;
    const name = operation.requestBody!.content['application/json'].schema.$ref.split('/').at(-1)!;
    const { properties, required = [] } = schemas[name];
    const base = Object.fromEntries(required.map((field) => [field, properties[field].examples[0]]));
    const send = async (body: unknown) => ({
      valid: isValidInput(method, path, { body }),
      status: await statusOf(api, method, path.replace('{id}', id), JSON.stringify(body)),
    });
    const fields = [...Object.keys(properties), 'unknown', 'id', 'version', 'createdAt', 'updatedAt'];
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
