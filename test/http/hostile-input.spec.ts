/**
 * @slow it sends every field of every request a hundred values
 * @only embedded postgres: it tests what happens before the database is asked
 */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import document from '../../openapi.json';
import { OPERATOR_WINDOW } from '../../src/platform/rate-limit/token-windows';
import type { Client } from '../support/client';
import {
  anyUser,
  anyValue,
  EMAILS,
  HOSTILE_BODIES,
  IDS,
  long,
  nested,
  TEXTS,
  VALUES,
  words,
} from '../support/hostile';
import { isValidInput } from '../support/openapi';
import { ORGANIZATIONS } from '../support/operator';
import { OPERATOR_TOKEN } from '../support/routes';
import { type ScimClient, scimClient } from '../support/scim';
import { startService, type TestService } from '../support/service';

// One table of values, judged by openapi.json: what it allows is accepted and given back, what it refuses is a 400
// that names the field, and nothing is a failure.

let service: TestService;
beforeAll(async () => {
  const WEBHOOK_ENCRYPTION_KEY = randomBytes(32).toString('base64');
  service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000', WEBHOOK_ENCRYPTION_KEY, OPERATOR_TOKEN });
});
beforeEach(() => void jest.replaceProperty(OPERATOR_WINDOW, 'rateLimit', 1_000_000)); // which no setting changes
afterAll(async () => {
  await service.close();
  for (const key of ['role', 'polluted', 'prototype']) expect(Object.prototype).not.toHaveProperty(key);
});

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
      ...[nested(9), { a: [nested(7)] }, { a: 2 ** 53 }, { a: [-(2 ** 53)] }],
      ...[{ constructor: 1 }, { a: { prototype: 1 } }, JSON.parse('{"__proto__":1}')],
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
    fields: ['by', 'merge'],
    values: ['email', true, false],
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
/** Judged only by what no answer may be: a random value may fall under any of the exceptions. */
const randomValues = fc.sample(anyValue, { numRuns: 30, seed: 1 });
const used = new Set<Exception>();

interface Operation {
  path: string;
  method: string;
  parameters: { name: string; in: string; required: boolean; schema: { examples: unknown[] } }[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
  responses: object;
}
interface BodySchema {
  properties: Record<string, { examples: unknown[] }>;
  required?: string[];
}
const schemas = document.components.schemas as unknown as Record<string, BodySchema>;
const operations: Operation[] = Object.entries(
  document.paths as unknown as Record<string, Record<string, Operation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
);

interface Answer {
  status: number;
  body: Record<string, unknown> & { errors?: { field: string; code?: string }[] };
}

/** Not with the client, which compares each response with the document. */
async function answerTo(
  { tokenValue }: Client,
  { method, path: pattern }: Operation,
  path: string,
  text?: string,
  type = 'application/json',
): Promise<Answer> {
  const token = pattern.startsWith(ORGANIZATIONS) ? OPERATOR_TOKEN : tokenValue;
  const headers = { authorization: `Bearer ${token}`, ...(text && { 'content-type': type }) };
  const response = await fetch(service.url + path, { method: method.toUpperCase(), headers, body: text });
  expect(response.headers.get('x-request-id')).toBeTruthy();
  const received = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, body: isJson ? JSON.parse(received) : {} };
}

const trimmed = (value: unknown) => (typeof value === 'string' ? value.trim() : value);
const asText = (value: unknown) => JSON.stringify(value)?.slice(0, 99);

/** What is wrong with the answer to a request with this value, which the document allows or not. */
function faultsOf(field: string, value: unknown, isAllowed: boolean, { status, body }: Answer): string[] {
  const at = `${field}: ${asText(value)}`;
  if (![200, 201, 202, 400, 409].includes(status)) return [`${at} is ${status}`];
  const names = ({ field: named }: { field: string }) => named === field || named.startsWith(`${field}.`);
  if (status === 400 && field !== 'body' && !body.errors?.some(names)) return [`${at} is not named`];
  if (status < 400 && value !== undefined && field in body && asText(body[field]) !== asText(trimmed(value)))
    return [`${at} becomes ${asText(body[field])}`];
  if ((randomValues as unknown[]).includes(value)) return [];
  const isAccepted = status !== 400; // a taken email is a valid one
  if (isAccepted === isAllowed) return [];
  const exception = EXCEPTIONS.find(
    ({ accepted, fields = [field], values = [value] }) =>
      accepted === isAccepted && fields.includes(field) && values.includes(value),
  );
  if (exception) used.add(exception);
  return exception ? [] : [`${at} is allowed: ${isAllowed}, but ${status}`];
}

/** Fields that no request has, so that one value is as wrong as another. */
const UNKNOWN = ['unknown', 'page', 'id', 'version', 'createdAt', 'updatedAt'];

/** Sends a value at a time as each field, all values at once, and returns what is wrong. */
async function compare(
  fields: string[],
  values: unknown[],
  send: (field: string, value: unknown) => Promise<{ isAllowed: boolean; answer: Answer }>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const field of fields) {
    const sent = UNKNOWN.includes(field) ? ['a', 1] : [...values, ...(field === 'email' ? EMAILS : [])];
    const found = sent.map(async (value) => {
      const { isAllowed, answer } = await send(field, value);
      return faultsOf(field, value, isAllowed, answer);
    });
    faults.push(...(await Promise.all(found)).flat());
  }
  return faults;
}

const isOutOfScope = ({ body: { errors = [] } }: Answer) =>
  errors.length === 1 && errors[0].field === 'scopes' && errors[0].code === 'out_of_range';

/** The path for a row that is there and may be changed. */
async function pathFor(api: Client, { path }: Operation): Promise<string> {
  const idOf = async () => {
    if (path.startsWith(ORGANIZATIONS)) return api.organizationId;
    if (path.includes('/users/')) return (await api.createUser()).id;
    if (path.endsWith('/deleted-users/{id}')) {
      const { id } = await api.createUser();
      await api.delete(`/api/v1/users/${id}`);
      return id;
    }
    // Not the caller's own, which would lose its scopes.
    if (path === '/v1/tokens/{id}')
      return (await api.post('/v1/tokens', { name: 'CI', scopes: ['admin'] })).body.id;
    if (!path.includes('/webhooks/')) return api.tokenId;
    const webhook = { url: 'https://example.com', types: ['user.purged'], enabled: false }; // nothing is sent to it
    return (await api.post('/api/v1/webhooks').send(webhook)).body.id;
  };
  return path.includes('{id}') ? path.replace('{id}', await idOf()) : path;
}

it('every route takes the query that openapi.json allows, and no other', async () => {
  const queried = operations.filter(
    ({ requestBody, parameters }) => !requestBody && parameters.some((each) => each.in === 'query'),
  );
  expect(queried.length).toBeGreaterThan(5);
  for (const operation of queried) {
    const { path, method, parameters } = operation;
    const api = await service.client();
    const served = await pathFor(api, operation);
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    const required = Object.fromEntries(
      inQuery.filter((parameter) => parameter.required).map(({ name, schema }) => [name, schema.examples[0]]),
    );
    const fields = [...inQuery.map(({ name }) => name), 'unknown', 'page'];
    const queries = [undefined, ...texts.filter((text) => text.isWellFormed()), ['a', 'b'], ['1', '2']];
    const faults = await compare(fields, queries, async (name, value) => {
      const query: Record<string, unknown> = { ...required, [name]: value };
      if (value === undefined) delete query[name];
      const search = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) {
        for (const one of [value].flat()) search.append(name, String(one));
      }
      return {
        isAllowed: isValidInput(method, path, { query }),
        answer: await answerTo(api, operation, `${served}?${search}`),
      };
    });
    for (const search of ['%', '&&&', 'a[__proto__][polluted]=1', '__proto__=1', 'q=%ff', 'limit[]=1']) {
      const { status } = await answerTo(api, operation, `${served}?${search}`);
      if (![200, 400].includes(status)) faults.push(`${search} is ${status}`);
    }
    expect({ method, path, faults }).toEqual({ method, path, faults: [] });
  }
});

it('every route takes the bodies that openapi.json allows, and no other', async () => {
  const withBody = operations
    .filter(
      ({ path, requestBody }) =>
        requestBody &&
        path !== '/oauth/token' && // a form, whose unknown fields are ignored
        // It takes an event or a time, which a schema without alternatives does not say.
        !path.endsWith('/redeliver'),
    )
    .flatMap((operation) =>
      Object.entries(operation.requestBody!.content).map(([type, { schema }]) => ({
        operation,
        type,
        schema,
      })),
    );
  expect(withBody.length).toBeGreaterThan(5);
  for (const { operation, type, schema } of withBody) {
    const { path, method } = operation;
    const api = await service.client();
    const served = await pathFor(api, operation);
    const { properties, required = [] } = schemas[schema.$ref.split('/').at(-1)!];
    const base = Object.fromEntries(required.map((field) => [field, properties[field].examples[0]]));
    const send = async (body: unknown) => {
      const answer = await answerTo(api, operation, served, JSON.stringify(body), type);
      // The user of this id is not deleted, which turns out only once the body has been accepted.
      if (answer.status === 404 && path.includes('/deleted-users/')) answer.status = 409;
      // The same of the user of an example, in an atomic batch.
      if (answer.body.errors?.every(({ code }) => code === 'not_found')) answer.status = 409;
      // A schema cannot say which scopes a token has.
      if (path === '/v1/tokens/{id}' && isOutOfScope(answer)) answer.status = 409;
      return { isAllowed: isValidInput(method, path, { body, type }), answer };
    };
    // The limits of merged metadata hold for the result, which depends on the user.
    const compared = Object.keys(properties).filter(
      (field) => type === 'application/json' || field !== 'metadata',
    );
    const faults = await compare([...compared, ...UNKNOWN], [...values, ...randomValues], (field, value) => {
      const body = { ...base, [field]: value };
      if (value === undefined) delete body[field];
      return send(body);
    });
    const whole = [{}, null, [], [base], 'text', 1, true];
    faults.push(...(await compare(['body'], whole, (_, body) => send(body))));
    expect({ method, path, type, faults }).toEqual({ method, path, type, faults: [] });
  }
});

it('needs every exception', () => {
  expect(EXCEPTIONS.filter((exception) => !used.has(exception)).map(({ reason }) => reason)).toEqual([]);
});

it('an id that nobody has is a 404 on every route', async () => {
  const api = await service.client();
  const faults: string[] = [];
  for (const operation of operations.filter(({ path }) => path.includes('{')))
    for (const id of IDS) {
      const body = operation.requestBody && '{}';
      const { status } = await answerTo(api, operation, operation.path.replace(/\{\w+\}/g, id), body);
      // Where a body is needed, it is judged first.
      if (status !== 404 && !(body && status === 400)) faults.push(`${operation.path} ${id}: ${status}`);
    }
  expect(faults).toEqual([]);
});

it('a user is stored exactly as it is returned, or refused by 400 or 409, for any JSON', async () => {
  const api = await service.client();
  let stored = 0;
  await fc.assert(
    fc.asyncProperty(anyUser, async (fields) => {
      const sent = JSON.stringify(fields);
      const { status, body: answer } = await api.post('/api/v1/users').type('json').send(sent);
      if (status !== 201) {
        expect([400, 409]).toContain(status);
        expect(answer.errors.length).toBeGreaterThan(0);
        return;
      }
      stored++;
      const given = JSON.parse(sent);
      expect(answer).toMatchObject({ name: given.name.trim(), email: given.email.trim() });
      expect(answer.metadata).toEqual(given.metadata ?? {});
      await api.get(`/api/v1/users/${answer.id}`).expect(200, answer);
    }),
    { numRuns: 400, endOnFailure: true },
  );
  expect(stored).toBeGreaterThan(10);
});

describe('the routes of SCIM, which openapi.json leaves to /Schemas', () => {
  let scim: ScimClient;
  let [user, group] = ['', ''];
  let serial = 0;
  beforeAll(async () => {
    scim = await scimClient(service);
    user = (await scim.post('/Users', { userName: 'ada@example.com' }).expect(201)).body.id;
    group = (await scim.post('/Groups', { displayName: 'A', members: [user] }).expect(201)).body.id;
  });

  const ATTRIBUTES = [
    ...['userName', 'externalId', 'displayName', 'active', 'name', 'emails', 'roles', 'members', 'schemas'],
    ...['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User', 'manager', 'addresses', 'id', 'meta'],
  ];
  const PATHS = [
    ...ATTRIBUTES,
    ...['name.givenName', 'emails.value', 'emails[type eq "work"].value', 'roles[primary eq "True"].value'],
    ...['members[value eq "x"]', 'urn:x', 'emails[', 'emails[type', 'a.b.c', '', ' ', '__proto__'],
    'x'.repeat(2_000),
  ];

  /** Sends the text as each kind of body that there is, and returns the statuses. */
  async function statusesOf(text: string): Promise<number[]> {
    const answers = await Promise.all(
      ['Users', 'Groups'].flatMap((type) =>
        [
          scim.post(`/${type}`),
          scim.put(`/${type}/${type === 'Users' ? user : group}`),
          scim.patch(`/${type}/${type === 'Users' ? user : group}`),
          scim.post(`/${type}/.search`),
        ].map((test) => test.set('Content-Type', 'application/scim+json').send(text)),
      ),
    );
    for (const { headers } of answers) expect(headers['content-type'] ?? 'none').toMatch(/scim\+json|none/);
    return answers.map(({ status }) => status);
  }

  async function expectNoFailure(body: unknown) {
    const text = JSON.stringify(body);
    const failures = (await statusesOf(text)).filter((status) => status >= 500);
    expect([text.slice(0, 300), failures]).toEqual([text.slice(0, 300), []]);
  }

  it('refuse every body with a value that must not be stored', async () => {
    for (const [what, body] of HOSTILE_BODIES)
      expect([what, new Set(await statusesOf(body))]).toEqual([what, new Set([400])]);
  });

  it('do not fail, whatever value an attribute has', async () => {
    for (const value of [...VALUES, ...TEXTS, ...EMAILS, nested(100), [[nested(3)]]])
      await expectNoFailure({
        userName: `u${serial++}@example.com`,
        ...Object.fromEntries(ATTRIBUTES.slice(serial % 3).map((name) => [name, value])),
        filter: value,
        count: value,
        startIndex: value,
        Operations: [
          { op: 'add', path: PATHS[serial % PATHS.length], value },
          { op: 'replace', value: { [PATHS[(serial * 7) % PATHS.length]]: value } },
        ],
      });
  });

  it('nor whatever a body is', async () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const operation = fc.record({
      op: fc.constantFrom('add', 'Replace', 'REMOVE', 'move'),
      path: fc.oneof(fc.constantFrom(...PATHS), fc.string()),
      value: fc.oneof(json, fc.dictionary(fc.constantFrom(...PATHS), json)),
    });
    const resource = fc.record({
      userName: fc.oneof(fc.string({ unit: 'binary' }), fc.emailAddress()),
      displayName: fc.string({ unit: 'grapheme' }),
      emails: fc.oneof(json, fc.array(fc.record({ value: fc.emailAddress(), primary: fc.boolean() }))),
      members: fc.oneof(json, fc.array(fc.record({ value: fc.constantFrom(user, group, '') }))),
      Operations: fc.array(operation, { maxLength: 5 }),
    });
    await fc.assert(fc.asyncProperty(fc.oneof(json, resource), expectNoFailure), { numRuns: 80 });
  });

  it('nor whatever a filter, a page, an attribute or an id is', async () => {
    const filters = [
      'userName',
      'externalId',
      'members',
      'groups.value',
      'displayName',
      'emails.value',
    ].flatMap((path) =>
      ['\\u0000', '\\ud800', '%_\\\\', 'ﷺ'.repeat(500)].map((value) => `${path} eq "${value}"`),
    );
    const odd = ['meta.created gt "9999-12-31T23:59:59Z"', '"'.repeat(500), '('.repeat(500)];
    const queries = [...TEXTS, ...filters, ...odd].flatMap((text) =>
      ['filter', 'startIndex', 'count', 'cursor', 'attributes'].map(
        (name) => `${name}=${encodeURIComponent(text)}`,
      ),
    );
    const repeated = [
      'filter=a&filter=b',
      'filter[x]=1',
      'count[]=1',
      '__proto__=1',
      'attributes=a&attributes=b',
    ];
    for (const path of ['/Users', '/Groups']) {
      for (const query of [...queries, ...repeated])
        expect([query, (await scim.get(`${path}?${query}`)).status < 500]).toEqual([query, true]);
      for (const id of [...IDS, `${user}%00`, '.search'])
        for (const test of [scim.get, scim.delete, scim.put])
          expect((await test(`${path}/${id}`)).status).toBeLessThan(500);
    }
  });

  it('refuse a body with faults in many attributes after the first thousand', async () => {
    const list = Array<string>(1_000).fill('\0');
    const body = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`x${i}`, list]));
    const check = jest.spyOn(String.prototype, 'isWellFormed');
    await scim.post('/Groups', body).expect(400);
    expect(check.mock.calls.length).toBeLessThan(4_000); // two for each fault
    check.mockRestore();
  });
});
