/**
 * @only embedded: it tests what happens before the database is asked
 */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { aUser, type Client } from '../support/client';
import { anyUser, HOSTILE_BODIES } from '../support/hostile';
import { startService, type TestService } from '../support/service';

let service: TestService;
let api: Client;
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' });
  api = await service.client();
});
afterAll(() => service.close());

const postText = (text: string | Buffer, type = 'application/json') =>
  api
    .post('/api/v1/users')
    .set('Content-Type', type)
    .serialize((body) => body as never)
    .send(text as never);

describe('a body', () => {
  it.each([
    ['text/plain', '{}'],
    ['application/x-www-form-urlencoded', 'name=Ada'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['application/jsonp', '{}'],
    ['application/problem+json', '{}'],
    ['application/json; charset=utf-16', '{}'],
    ['application/json; charset=latin1', '{}'],
  ])('of the type %s is a 415', async (type, text) => {
    expect((await postText(text, type).expect(415)).body.code).toBe('unsupported_media_type');
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON',
  ])(
    'of the type %s is read',
    async (type) => void (await postText(JSON.stringify(aUser()), type).expect(201)),
  );

  it.each(['gzip', 'identity', 'br'])('with the Content-Encoding %s is a 415', async (encoding) => {
    const body = encoding === 'gzip' ? gzipSync(JSON.stringify(aUser())) : JSON.stringify(aUser());
    await postText(body).set('Content-Encoding', encoding).expect(415);
  });

  it('that is missing and has no type is a 415', async () => {
    await api.post('/api/v1/users').expect(415);
    await api.patch('/api/v1/users/usr_00000000000000000000000000').expect(415);
  });

  it.each([
    ['empty', ''],
    ['cut off', '{"name":'],
    ['with a trailing comma', '{"name":"Ada",}'],
    ['followed by more', '{} {}'],
    ['of bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['with a bare NaN', '{"name":NaN}'],
  ])('that is %s is malformed', async (_case, text) => {
    const { body } = await postText(text).expect(400);
    expect(body).toMatchObject({
      code: 'malformed_json',
      detail: 'The request body is not valid JSON.',
      errors: [{ field: 'body', code: 'invalid' }],
    });
  });

  it('with a JSON type and no bytes is malformed', async () => {
    const { body } = await api.post('/api/v1/users').set('Content-Type', 'application/json').expect(400);
    expect(body.code).toBe('malformed_json');
  });

  it.each(['[]', '"text"', '7', 'null', 'true', '[{}]'])(
    'that is the JSON %s is not an object',
    async (text) => {
      const { body } = await postText(text).expect(400);
      expect(body).toMatchObject({ code: 'validation_failed', errors: [{ field: 'body', code: 'invalid' }] });
    },
  );

  it('of 64 KB is read, and one byte more is a 413', async () => {
    const padded = (bytes: number) => JSON.stringify(aUser()).padEnd(bytes);
    await postText(padded(64 * 1024)).expect(201);
    const { body } = await postText(padded(64 * 1024 + 1)).expect(413);
    expect(body.code).toBe('payload_too_large');
  });

  it('of 1 MB has at most 70,000 values', async () => {
    const bodyOf = (values: number) => `{"users":[{}],"more":[${Array(values - 4).fill('{}')}]}`;
    const send = (text: string) =>
      api
        .post('/api/v1/users/batch')
        .type('json')
        .serialize((body) => body as never)
        .send(text as never);
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

  it('of 300 KB from a caller without a token is not read', async () => {
    await service
      .anonymous()
      .post('/api/v1/users', { name: 'x'.repeat(300_000) })
      .expect(401);
  });
});

describe('a value', () => {
  it.each(HOSTILE_BODIES)('is refused: %s', async (_case, text, field) => {
    const { body } = await postText(text).expect(400);
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ field, code: 'invalid' }] });
    expect(Object.prototype).not.toHaveProperty('role');
  });

  it('nested as deeply as 64 KB allow is refused', async () => {
    const deep = `{"name":"Ada","email":"d@example.com","metadata":{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`;
    const { body } = await postText(deep).expect(400);
    expect(body.errors.map(({ code }: { code: string }) => code).sort()).toEqual(['invalid', 'too_long']);
  });

  it.each([
    ['faults', { metadata: { list: Array.from({ length: 7_000 }, () => '\0') } }],
    ['forbidden keys', { metadata: { list: Array.from({ length: 3_000 }, () => ({ constructor: 1 })) } }],
    ['unknown fields', Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, n]))],
  ])(
    'with thousands of %s is judged up to a thousand, and gets a response with 100',
    async (_what, fields) => {
      const { body } = await api.post('/api/v1/users', aUser(fields)).expect(400);
      expect(body.errors).toHaveLength(100);
      expect(body.detail).toMatch(/^100\d fields are invalid\.$/);
    },
  );

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

describe('query parameters', () => {
  it.each([
    ['get', '/api/v1/users/usr_00000000000000000000000000?fields=name'],
    ['delete', '/api/v1/users/usr_00000000000000000000000000?force=true'],
    ['get', '/v1/tokens/current?x'],
    ['delete', '/v1/tokens/tok_00000000000000000000000000?a=1'],
  ] as const)('are refused on a route that has none: %s %s', async (method, path) => {
    const { body } = await api.send(method, path).expect(400);
    expect(body.errors).toMatchObject([{ code: 'unknown' }]);
  });

  it('are refused on a create and an update', async () => {
    await api.post('/api/v1/users?notify=true', aUser()).expect(400);
    const user = await api.createUser();
    await api.patch(`/api/v1/users/${user.id}?notify=true`, { name: 'Grace' }).expect(400);
    await api.get(`/api/v1/users/${user.id}?`).expect(200, user);
  });
});

it('stores exactly the user that it returns, or answers 400 or 409, for any JSON', async () => {
  let stored = 0;
  await fc.assert(
    fc.asyncProperty(anyUser, async (fields) => {
      const sent = JSON.stringify(fields);
      const { status, body: answer, headers } = await postText(sent);
      expect(headers['x-request-id']).toBeTruthy();
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
