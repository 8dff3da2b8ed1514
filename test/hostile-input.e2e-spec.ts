import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { aUser, type Client } from './support/client';
import { startService, type TestService } from './support/service';

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
  it.each([
    ['a NUL in a name', '{"name":"A\\u0000da","email":"nul@example.com"}', 'name'],
    ['a NUL in an email', '{"name":"Ada","email":"n\\u0000l@example.com"}', 'email'],
    ['a lone surrogate', '{"name":"\\ud800","email":"nul@example.com"}', 'name'],
    [
      'a NUL deep inside',
      '{"name":"Ada","email":"nul@example.com","metadata":{"a":[{"b":"\\u0000"}]}}',
      'metadata.a.0.b',
    ],
    ['a NUL in a key', '{"name":"Ada","email":"nul@example.com","metadata":{"a\\u0000":1}}', 'metadata.a\0'],
    ['an infinite number', '{"name":"Ada","email":"nul@example.com","metadata":{"a":1e999}}', 'metadata.a'],
    [
      'an integer that JavaScript would round',
      '{"name":"Ada","email":"nul@example.com","metadata":{"a":9007199254740993}}',
      'metadata.a',
    ],
    [
      'a negative integer that JavaScript would round',
      '{"name":"Ada","email":"nul@example.com","metadata":{"a":-9007199254740992}}',
      'metadata.a',
    ],
    [
      'the key __proto__',
      '{"name":"Ada","email":"nul@example.com","__proto__":{"role":"admin"}}',
      '__proto__',
    ],
    ['the key constructor', '{"name":"Ada","email":"nul@example.com","constructor":1}', 'constructor'],
    [
      'the key prototype deep inside',
      '{"name":"Ada","email":"nul@example.com","metadata":{"a":{"prototype":1}}}',
      'metadata.a.prototype',
    ],
    [
      'the key __proto__ in metadata',
      '{"name":"Ada","email":"nul@example.com","metadata":{"__proto__":{}}}',
      'metadata.__proto__',
    ],
  ])('is refused: %s', async (_case, text, field) => {
    const { body } = await postText(text).expect(400);
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ field, code: 'invalid' }] });
    expect(Object.prototype).not.toHaveProperty('role');
  });

  it('nested as deeply as 64 KB allow is refused', async () => {
    const deep = `{"name":"Ada","email":"d@example.com","metadata":{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`;
    const { body } = await postText(deep).expect(400);
    expect(body.errors.map(({ code }: { code: string }) => code).sort()).toEqual(['invalid', 'too_long']);
  });

  it('with thousands of faults gets a response with at most 100', async () => {
    const metadata = { list: Array.from({ length: 7_000 }, () => '\0') };
    const { body } = await api.post('/api/v1/users', aUser({ metadata })).expect(400);
    expect(body.errors).toHaveLength(100);
    expect(body.detail).toMatch(/^700\d fields are invalid\.$/);
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
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('\0', '\ud800', '__proto__', 'constructor', "';--"),
  );
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 10 }),
    text,
    fc.double(),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(Number),
  );
  const metadata = fc.dictionary(text, value, { maxKeys: 18 });
  // Most bodies have at most one fault, so that many are stored.
  const mostly = <T>(valid: fc.Arbitrary<T>, hostile: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 6, arbitrary: valid as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: hostile });
  const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((word) => `x${word}`);
  const body = fc.record(
    {
      name: mostly(words, fc.oneof(text, value)),
      email: mostly(fc.emailAddress(), text),
      role: mostly(fc.constantFrom('member', 'admin'), value),
      metadata: mostly(
        fc.dictionary(words, fc.oneof(words, fc.integer(), fc.jsonValue({ maxDepth: 3 }))),
        fc.oneof(metadata, value),
      ),
    },
    { requiredKeys: ['name', 'email'] },
  );
  let stored = 0;
  await fc.assert(
    fc.asyncProperty(body, async (fields) => {
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
}, 120_000);
