import { once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Type } from '@nestjs/common';
import fc from 'fast-check';
import { Database } from '../../src/platform/database/database';
import { excessOf, sizeOf } from '../../src/platform/http/input/json-size';
import { validate, validatedInput, validateOrThrow } from '../../src/platform/http/input/validate';
import { CreateTokenDto } from '../../src/tokens/token/token.dto';
import { BatchDto } from '../../src/users/batch/batch.dto';
import { SearchUsersDto } from '../../src/users/search/user-search.dto';
import { CreateUserDto } from '../../src/users/user/user.dto';
import { ListUsersDto } from '../../src/users/query/users-query.dto';
import { aUser, type Client } from '../support/client';
import { HOSTILE_BODIES } from '../support/hostile';
import { exchange } from '../support/oauth';
import { useApi } from '../support/service';
import { connectTo, exchange as exchangeBytes, untilClosed } from '../support/socket';
import { until } from '../support/until';

const { service, api } = useApi();
let other: Client;
beforeEach(async () => void (other = await service.client()));

const FORM = 'application/x-www-form-urlencoded';
const BATCH = '/api/v1/users/batch';

/** A body of this many bytes. */
const batchOf = (bytes: number) => JSON.stringify({ users: [aUser()] }).padEnd(bytes);

/** The head of a request with this header as its last one, but for the empty line. */
const headOf = (path: string, last: string, { token = api.tokenValue, type = 'application/json' } = {}) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    ...(token ? [`Authorization: Bearer ${token}`] : []),
    `Content-Type: ${type}`,
    `${last}\r\n`,
  ].join('\r\n');

/** A request whose body the service reads, and whose last byte does not come. */
async function stalled(
  path: string,
  body: string,
  { arrived = body.slice(0, -1), ...head }: Parameters<typeof headOf>[2] & { arrived?: string } = {},
): Promise<Socket> {
  const socket = await connectTo(service.url);
  socket.write(`${headOf(path, `Content-Length: ${body.length}\r\nExpect: 100-continue`, head)}\r\n`);
  await once(socket, 'readable'); // 100 Continue
  socket.read();
  socket.write(arrived);
  return socket;
}

/** Holds the handlers that write, and returns what lets each of them go on. */
function holdHandlers(): (() => void)[] {
  const database = service.app.get(Database);
  const { write } = database;
  const handlers: (() => void)[] = [];
  jest.spyOn(database, 'write').mockImplementation(async (...args) => {
    await new Promise<void>((finish) => handlers.push(finish));
    return write.apply(database, args);
  });
  return handlers;
}

const post = (path: string, body: string, client = api) => client.post(path).type('json').send(body);

it.each([
  ['over 64 KB, 2', batchOf(64 * 1024 + 1), 2],
  ['of 64 KB, 16', batchOf(64 * 1024), 16],
])(
  'of bodies %s of an organization are worked on at once, and others are a 503 after a while',
  async (_size, body, count) => {
    const handlers = holdHandlers();
    const worked = Array.from({ length: count }, () => post(BATCH, body).then(({ status }) => status));
    await until(() => handlers.length === count);
    const refusal = await post(BATCH, body);
    expect(refusal.status).toBe(503);
    expect(refusal.headers['retry-after']).toBe('2');
    expect(refusal.body.code).toBe('unavailable');
    const { requestId, detail: msg } = refusal.body;
    const logged = service.logs
      .map((line) => JSON.parse(line))
      .filter((line) => line.requestId === requestId);
    expect(logged.filter(({ route }) => !route)).toEqual([
      { level: 'warn', time: expect.any(String), context: 'Requests', requestId, msg },
    ]);
    const served = post(BATCH, body, other).then(({ status }) => status);
    await until(() => handlers.length === count + 1);
    handlers[count]();
    expect(await served).toBe(200);

    const waiting = post(BATCH, batchOf(body.length)).then(({ status }) => status);
    handlers[0]();
    await until(() => handlers.length === count + 2);
    for (const finish of handlers) finish();
    expect(await Promise.all([waiting, ...worked])).toEqual(Array(count + 1).fill(200));
  },
);

it('small bodies find room whatever organizations do with large ones', async () => {
  const clients = await Promise.all([1, 2, 3, 4, 5].map(() => service.client()));
  const handlers = holdHandlers();
  const sent = clients.flatMap((client) => [1, 2].map(() => post(BATCH, batchOf(1024 * 1024), client)));
  const worked = sent.map((request) => request.then(({ status }) => status));
  await until(() => handlers.length === 4);
  // One of another organization, and of each whose large ones are at work or wait.
  for (const client of [api, ...clients]) {
    const count = handlers.length;
    const user = post('/api/v1/users', JSON.stringify(aUser()), client).then(({ status }) => status);
    await until(() => handlers.length > count);
    handlers[count]();
    expect(await user).toBe(201);
  }
  let isOver = false;
  const all = Promise.all(worked).finally(() => (isOver = true));
  await until(() => {
    for (const finish of handlers) finish();
    return isOver;
  });
  expect((await all).filter((status) => status === 200).length).toBeGreaterThanOrEqual(4);
});

it('a body without a length is refused as soon as it is longer than its route allows', async () => {
  for (const [path, type, limit, status] of [
    ['/api/v1/users', 'application/json', 64 * 1024, 413],
    [BATCH, 'application/json', 1024 * 1024, 413],
    ['/scim/v2/Users', 'application/json', 64 * 1024, 413],
    ['/oauth/token', FORM, 64 * 1024, 400],
  ] as const) {
    const socket = await connectTo(service.url);
    const bytes = limit + 1;
    const chunk = `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}`;
    socket.write(`${headOf(path, 'Transfer-Encoding: chunked', { type })}\r\n${chunk}`);
    await once(socket, 'readable');
    expect(`${path}: ${socket.read()}`).toMatch(
      new RegExp(`^${path}: HTTP/1.1 ${status} [^]*connection: close\r\n`, 'i'),
    );
    await untilClosed(socket.resume());
  }
});

it('a body without a token counts by what has arrived: those that stall do not keep their network out', async () => {
  const begin = () => stalled('/oauth/token', 'a'.repeat(65_536), { token: '', type: FORM, arrived: 'a' });
  const sockets = await Promise.all(Array.from({ length: 100 }, begin));
  const form = { grant_type: 'client_credentials', client_id: api.tokenId, client_secret: api.tokenValue };
  expect((await exchange(service.url, form)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

describe('a body in small chunks', () => {
  const chunked = (path: string, sizes: number[]) =>
    [
      headOf(path, 'Transfer-Encoding: chunked'),
      ...sizes.flatMap((size) => [size.toString(16), 'x'.repeat(size)]),
      '',
    ].join('\r\n');
  const ones = (count: number) => Array.from({ length: count }, () => 1);
  /** The status lines of what is answered until the connection ends. */
  const statusesOf = async (bytes: string) =>
    [...(await exchangeBytes(service.url, bytes)).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) =>
      Number(status),
    );

  it('is refused where it has more than 256, and one for each 256 bytes', async () => {
    const few = [...ones(256), 255, ...ones(1), ...Array.from({ length: 100 }, () => 400)];
    const end = '0\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    expect(await statusesOf(chunked('/api/v1/users', few) + end)).toEqual([400, 200]);
    const answer = await exchangeBytes(service.url, chunked('/api/v1/users', ones(258)));
    expect(answer).toMatch(/^HTTP\/1.1 400 [^]*connection: close\r\n[^]*too many small chunks/i);
  });

  it('is not read to its end where nobody reads it', async () => {
    for (const path of ['/livez', '/nowhere', BATCH])
      expect([404, 405, 401, 400]).toContain((await statusesOf(chunked(path, ones(20_000))))[0]);
  });

  it('costs no more of its packet, and its parser reads the bodies of later connections', async () => {
    for (let i = 0; i < 5; i++) await statusesOf(chunked('/api/v1/users', ones(2_000)));
    await post('/api/v1/users', JSON.stringify(aUser())).expect(201);
  });
});

describe('bodies that stall', () => {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /** So many of each organization. */
  async function stall(clients: Client[], path: string, bytes: number, count: number) {
    const begun = clients.flatMap(({ tokenValue: token }) =>
      Array.from({ length: count }, () => stalled(path, batchOf(bytes), { token })),
    );
    sockets.push(...(await Promise.all(begun)));
  }
  const organizations = (count: number) => Promise.all(Array.from({ length: count }, () => service.client()));

  it('keep nobody out, neither other organizations nor their own', async () => {
    await stall(await organizations(4), BATCH, 64 * 1024, 16);
    await stall(await organizations(6), BATCH, 1024 * 1024, 2);
    for (const bytes of [100, 64 * 1024, 64 * 1024 + 1, 1024 * 1024])
      await post(BATCH, batchOf(bytes)).expect(200);
    expect(sockets.filter(({ readyState }) => readyState === 'open')).toHaveLength(76);
    await stall([api], BATCH, 64 * 1024, 16);
    await stall([api], BATCH, 64 * 1024 + 1, 2);
    for (const bytes of [64 * 1024, 64 * 1024 + 1]) await post(BATCH, batchOf(bytes)).expect(200);
  });

  it('are a 503 at once beyond 16 MB, the oldest of the organization that has most', async () => {
    const [few, many, ...rest] = await organizations(9);
    await stall([few], BATCH, 1_000_000, 1);
    await stall([many], BATCH, 1_000_000, 1);
    const [, oldest] = sockets;
    await stall([many], BATCH, 1_000_000, 2); // the most, also while a part of it is still on its way
    await stall(rest, BATCH, 1_000_000, 1);
    await stall(rest.slice(2), BATCH, 1_000_000, 1);
    const answer = once(oldest, 'readable').then(() => String(oldest.read()));
    expect(sockets.filter(({ readyState }) => readyState !== 'open')).toEqual([]);
    await stall([api], BATCH, 1_000_000, 1);
    expect(await answer).toMatch(/^HTTP\/1\.1 503 [^]*connection: close\r\n[^]*retry-after: 2\r\n/i);
    await untilClosed(oldest.resume());
    expect(sockets.filter(({ readyState }) => readyState === 'open')).toHaveLength(16);
    await post(BATCH, batchOf(1_000_000), other).expect(200);
  });
});

it('the memory of a body is held while its handler works, also when the caller has left', async () => {
  const handlers = holdHandlers();
  for (let i = 1; i <= 2; i++) {
    const left = await stalled(BATCH, batchOf(100_000));
    left.write(' ');
    await until(() => handlers.length === i);
    left.destroy();
    await once(left, 'close');
  }
  const third = post(BATCH, batchOf(100_000)).expect(503);
  await Promise.race([third, until(() => handlers.length > 2)]);
  expect(handlers).toHaveLength(2);
  for (const finish of handlers) finish();
  jest.restoreAllMocks();
  await post(BATCH, batchOf(100_000)).expect(200);
});

it('a connection that stays open keeps no body in memory, whether it was accepted or refused', async () => {
  const requests: { body?: unknown }[] = [];
  const keep = (request: object) => requests.push(request);
  const server = service.app.getHttpServer();
  server.on('request', keep);
  await post(BATCH, batchOf(100_000)).expect(200);
  await post('/api/v1/users', '{"name":1}').expect(400);
  server.off('request', keep);
  expect(requests).toHaveLength(2);
  await until(() => requests.every(({ body }) => body === undefined));
});

const postText = (text: string | Buffer, type = 'application/json', path = '/api/v1/users') =>
  api
    .post(path)
    .set('Content-Type', type)
    .serialize((body) => body as never)
    .send(text as never);

describe('a body', () => {
  it('of another type, encoding or character set than JSON in UTF-8 is a 415', async () => {
    const json = JSON.stringify(aUser());
    for (const [type, text, encoding] of [
      ['text/plain', '{}'],
      ['application/x-www-form-urlencoded', 'name=Ada'],
      ['multipart/form-data; boundary=x', '--x--'],
      ['application/jsonp', '{}'],
      ['application/problem+json', '{}'],
      ['application/json; charset=utf-16', '{}'],
      ['application/json; charset=latin1', '{}'],
      ['application/json', gzipSync(json), 'gzip'],
      ['application/json', json, 'identity'],
      ['application/json', json, 'br'],
    ] as const) {
      const sent = postText(text, type);
      const { status, body } = await (encoding ? sent.set('Content-Encoding', encoding) : sent);
      expect({ type, encoding, status, code: body.code }).toMatchObject({
        status: 415,
        code: 'unsupported_media_type',
      });
    }
    await api.post('/api/v1/users').expect(415);
    await api.patch('/api/v1/users/usr_00000000000000000000000000').expect(415);
  });

  it('of JSON is read, however its type is written', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'Application/JSON',
    ])
      expect([type, (await postText(JSON.stringify(aUser()), type)).status]).toEqual([type, 201]);
  });

  it('that is other JSON than an object is refused', async () => {
    for (const text of ['[]', '"text"', '7', 'null', 'true', '[{}]'])
      expect({ text, body: (await postText(text).expect(400)).body }).toMatchObject({
        text,
        body: { code: 'validation_failed', errors: [{ field: 'body', code: 'invalid' }] },
      });
  });

  it('of 64 KB is read, and one byte more is a 413', async () => {
    const padded = (bytes: number) => JSON.stringify(aUser()).padEnd(bytes);
    await postText(padded(64 * 1024)).expect(201);
    const { body } = await postText(padded(64 * 1024 + 1)).expect(413);
    expect(body.code).toBe('payload_too_large');
  });

  it('of 1 MB has at most 70,000 values', async () => {
    const bodyOf = (values: number) => `{"users":[{}],"more":[${Array(values - 4).fill('{}')}]}`;
    const send = (text: string) => postText(text, 'application/json', BATCH);
    const { body: read } = await send(bodyOf(70_000)).expect(400);
    expect(read.errors).toMatchObject([{ field: 'more', code: 'unknown' }]);
    const { body: refused } = await send(bodyOf(70_001)).expect(400);
    expect(refused.errors).toEqual([
      { field: 'body', code: 'too_many', message: 'must have at most 70000 values' },
    ]);
  });

  it('of a GET or a DELETE is ignored', async () => {
    const user = await api.createUser();
    await api
      .send('get', `/api/v1/users/${user.id}`)
      .set('Content-Type', 'application/json')
      .send('{')
      .expect(200);
    await api
      .send('delete', `/api/v1/users/${user.id}`)
      .set('Content-Type', 'text/plain')
      .send('x')
      .expect(204);
  });
});

describe('a value', () => {
  it('that must not be stored is refused, and its field is named', async () => {
    for (const [what, text, field] of HOSTILE_BODIES)
      expect({ what, body: (await postText(text).expect(400)).body }).toMatchObject({
        what,
        body: { code: 'validation_failed', errors: [{ field, code: 'invalid' }] },
      });
    expect(Object.prototype).not.toHaveProperty('role');
  });

  it('nested as deeply as 64 KB allow is refused', async () => {
    const deep = `{"name":"Ada","email":"d@example.com","metadata":{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`;
    const { body } = await postText(deep).expect(400);
    expect(body.errors.map(({ code }: { code: string }) => code).sort()).toEqual(['invalid', 'too_long']);
  });

  it('with thousands of faults is judged up to a thousand, and gets a response with 100', async () => {
    for (const fields of [
      { metadata: { list: Array.from({ length: 7_000 }, () => '\0') } },
      { metadata: { list: Array.from({ length: 3_000 }, () => ({ constructor: 1 })) } },
      Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, n])),
    ]) {
      const { body } = await api.post('/api/v1/users', aUser(fields)).expect(400);
      expect(body.errors).toHaveLength(100);
      expect(body.detail).toMatch(/^100\d fields are invalid\.$/);
    }
  });

  it('of a duplicate key is the last one', async () => {
    const { body } = await postText('{"name":"First","name":"Last","email":"twice@example.com"}').expect(201);
    expect(body.name).toBe('Last');
  });

  it('is never repeated in an error', async () => {
    const secret = 'hunter2-hunter2';
    const { text } = await api
      .post('/api/v1/users', { name: [secret], email: secret, role: secret, metadata: secret })
      .expect(400);
    expect(text).not.toContain(secret);
    expect((await api.get(`/api/v1/${secret}`).expect(404)).text).not.toContain(secret);
  });
});

it('query parameters are refused on a route that has none', async () => {
  const user = await api.createUser();
  for (const [method, path, body] of [
    ['get', `/api/v1/users/${user.id}?fields=name`],
    ['delete', `/api/v1/users/${user.id}?force=true`],
    ['get', '/v1/tokens/current?x'],
    ['post', '/api/v1/users?notify=true', aUser()],
    ['patch', `/api/v1/users/${user.id}?notify=true`, { name: 'Grace' }],
  ] as const) {
    const { status, body: answer } = await api.send(method, path, body);
    expect({ path, status, ...answer }).toMatchObject({ path, status: 400, errors: [{ code: 'unknown' }] });
  }
  await api.get(`/api/v1/users/${user.id}?`).expect(200, user);
});

it('validatedInput() validates what is not yet a DTO', () => {
  const dto = validatedInput(CreateUserDto, { name: ' Ada ', email: 'ada@example.com' });
  expect(dto).toMatchObject({ name: 'Ada' });
  expect(validatedInput(CreateUserDto, dto)).toBe(dto);
  expect(() => validatedInput(CreateUserDto, { name: '' })).toThrow('2 fields are invalid.');
});

it('validateOrThrow() takes no field of a type without checks', () => {
  for (const metatype of [Object, Array]) {
    const input = Object.assign(new metatype(), { anything: 1 });
    expect(() => validateOrThrow(metatype, input)).toThrow('1 field is invalid.');
  }
});

describe('validate()', () => {
  const codes = (metatype: Type, input: object) =>
    validate(metatype, input).faults?.map(({ field, code, message }) => `${field} ${code}: ${message}`);

  it('reports the first fault of each path, and all paths', () => {
    const metadata = {
      '': 1,
      ['k'.repeat(65)]: 2,
      ...Object.fromEntries([...Array(15)].map((_, i) => [`k${i}`, i])),
    };
    expect(codes(CreateUserDto, { email: null, role: 'x', metadata, id: 'x', nope: 1, toString: 1 })).toEqual(
      [
        'nope unknown: is not a known field',
        'toString unknown: is not a known field',
        'name required: is required',
        'email invalid: must be a string',
        'role invalid: must be one of member, admin, viewer',
        'metadata. too_short: must not be empty',
        `metadata.${'k'.repeat(64)}… too_long: must have at most 64 characters`,
        'metadata too_many: must have at most 16 keys',
        'id immutable: cannot be changed',
      ],
    );
  });

  it('runs the checks in their order', () => {
    for (const [metatype, input, ...faults] of [
      [SearchUsersDto, { q: null }, 'q invalid: must be a string'],
      [
        CreateTokenDto,
        { name: 'CI', scopes: null },
        expect.stringMatching(/^scopes invalid: must be a list of/),
      ],
      [BatchDto, { users: null }, 'users invalid: must be a list of users'],
      [ListUsersDto, { limit: 1.5 }, 'limit invalid: must be a whole number'],
      [ListUsersDto, { limit: 201 }, 'limit out_of_range: must be from 1 to 200'],
    ] as const)
      expect(codes(metatype, input)).toEqual(faults);
  });

  it('counts code points, variation selectors included', () => {
    expect(codes(CreateUserDto, { name: '❤️'.repeat(100), email: 'a@b.co' })).toBeUndefined();
    expect(codes(CreateUserDto, { name: '❤️'.repeat(101), email: 'a@b.co' })).toEqual([
      'name too_long: must have at most 200 characters',
    ]);
  });
});

/** Every value, and every key with quotes around it. */
const partsOf = (value: unknown): { values: unknown[]; keys: string[] } => {
  if (typeof value !== 'object' || value === null) return { values: [value], keys: [] };
  const parts = Object.values(value).map(partsOf);
  return {
    values: [value, ...parts.flatMap(({ values }) => values)],
    keys: [...(Array.isArray(value) ? [] : Object.keys(value)), ...parts.flatMap(({ keys }) => keys)],
  };
};

it('sizeOf() counts the values and the different keys of any JSON', () => {
  const space = fc.constantFrom(undefined, 1, '\t\n ');
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), space, (value, space) => {
      const { values, keys } = partsOf(value);
      expect(sizeOf(Buffer.from(JSON.stringify(value, null, space)), Infinity)).toEqual({
        values: values.length,
        keys: new Set(keys).size,
      });
    }),
    { numRuns: 1000 },
  );
});

it('sizeOf() ends on what is not JSON', () => {
  for (const text of ['', '{', '"', '"\\', '[,', ']]}}', '"a', '\\"', ':::'])
    expect({ text, values: sizeOf(Buffer.from(text), Infinity).values < 4 }).toEqual({ text, values: true });
});

it('excessOf() allows 15,000 different keys', () => {
  const excessIn = (value: unknown) => excessOf(Buffer.from(JSON.stringify(value)));
  const many = Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`k${i}`, 0]));
  expect(excessIn([many, many])).toBeUndefined();
  expect(excessIn([many, { other: 0 }])).toBe('15000 different keys');
});
