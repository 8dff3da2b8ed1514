/**
 * @only embedded: it tests what happens before the database is asked
 */
import { LastUse } from '../../src/auth/last-use';
import { startService, type TestService } from '../support/service';
import { exchange } from '../support/socket';
import { until } from '../support/until';

let service: TestService;
beforeAll(async () => (service = await startService()));
afterAll(() => service.close());

const UUID = /^[0-9a-f-]{36}$/;

describe('X-Request-ID', () => {
  it.each(['a', 'A.b_c-9', 'x'.repeat(128)])('repeats a well-formed id of the caller: %.20s', async (id) => {
    const { headers, body } = await service.anonymous().get('/nothing').set('X-Request-ID', id).expect(404);
    expect(headers['x-request-id']).toBe(id);
    expect(body.requestId).toBe(id);
  });

  it.each(['', 'x'.repeat(129), 'a b', 'a,b', 'é', '<script>'])(
    'is a new id instead of a malformed one: %.20j',
    async (id) => {
      const { headers, body } = await service.anonymous().get('/nothing').set('X-Request-ID', id).expect(404);
      expect(headers['x-request-id']).toMatch(UUID);
      expect(body.requestId).toBe(headers['x-request-id']);
    },
  );

  it('is on every response and in its log line', async () => {
    const api = await service.client();
    const reader = await service.client({ scopes: ['users:read'] });
    const answers = await Promise.all([
      api.get('/api/v1/users').expect(200),
      api.post('/api/v1/users', { name: 'Ada', email: 'ada@example.com' }).expect(201),
      service.anonymous().get('/api/v1/users').expect(401),
      reader.post('/api/v1/users', {}).expect(403),
      api.get('/api/v1/users/nobody').expect(404),
      api.get('/api/v1/nothing').expect(404),
      api.get('/api/v1/users/%zz').expect(404),
      api.put('/api/v1/users', {}).expect(405),
      api.post('/api/v1/users').set('Content-Type', 'application/json').send('{').expect(400),
      api.post('/api/v1/users').set('Content-Type', 'text/plain').send('x').expect(415),
      api.get('/livez').expect(200),
      api.get('/readyz').expect(200),
    ]);
    const logged = service.logs.map((line) => JSON.parse(line).requestId);
    for (const { headers } of answers) {
      expect(headers['x-request-id']).toMatch(UUID);
      expect(logged).toContain(headers['x-request-id']);
    }
  });
});

describe('every response under /api and /v1', () => {
  it('forbids caching and content sniffing, and does not name the server software', async () => {
    const api = await service.client();
    for (const { headers } of [
      await api.get('/api/v1/users').expect(200),
      await api.get('/v1/tokens').expect(200),
      await api.get('/api/nothing').expect(404),
      await api.put('/v1/tokens', {}).expect(405),
      await service.anonymous().get('/api/v1/users').expect(401),
      await api.delete('/api/v1/users/nobody').expect(404),
    ]) {
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['x-powered-by']).toBeUndefined();
      expect(headers.etag).toBeUndefined();
    }
  });
});

describe('a path', () => {
  it.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v1/user',
    '/api/v1/users/a/b',
    '/v1/users',
    '/v2/tokens',
    '/index.html',
    '/%2e%2e/etc',
    '/API/v1/users',
    '/api/v1/users/',
    '/v1/tokens/current/',
  ])('is a 404 if it is unknown, with or without a token: %s', async (path) => {
    const api = await service.client();
    for (const client of [api, service.anonymous()]) {
      const { body, headers } = await client.get(path).expect(404);
      expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
      expect(body).toEqual({
        title: 'Not Found',
        status: 404,
        code: 'not_found',
        detail: 'There is no such route.',
        requestId: headers['x-request-id'],
      });
    }
  });

  it.each([
    ['put', '/api/v1/users', 'GET, HEAD, POST'],
    ['delete', '/api/v1/users', 'GET, HEAD, POST'],
    ['delete', '/api/v1/users/search', 'GET, HEAD'],
    ['patch', '/api/v1/users/search', 'GET, HEAD'],
    ['post', '/api/v1/users/usr_x', 'GET, HEAD, PATCH, DELETE'],
    ['options', '/api/v1/users/usr_x', 'GET, HEAD, PATCH, DELETE'],
    ['patch', '/v1/tokens', 'GET, HEAD, POST'],
    ['patch', '/v1/tokens/current', 'GET, HEAD, DELETE'],
    ['patch', '/api/v1/tokens/current', 'GET, HEAD, DELETE'],
    ['patch', '/api/v1/tokens/tok_x', 'GET, HEAD, DELETE'],
    ['post', '/livez', 'GET, HEAD'],
  ] as const)(
    'answers %s %s with 405 and Allow: %s, with or without a token',
    async (method, path, allow) => {
      const api = await service.client();
      for (const client of [api, service.anonymous()]) {
        const { body, headers } = await client.send(method, path).expect(405);
        expect(headers.allow?.split(', ').sort()).toEqual(allow.split(', ').sort());
        expect(body.code).toBe('method_not_allowed');
      }
    },
  );

  it.each(['%zz', '%', '%ff', '%c0%80'])('is a 404 if it cannot be decoded: /api/v1/users/%s', async (id) => {
    for (const method of ['get', 'post', 'options'] as const) {
      const { body } = await service.anonymous().send(method, `/api/v1/users/${id}`).expect(404);
      expect(body).toMatchObject({ code: 'not_found', detail: 'There is no such route.' });
    }
  });
});

describe('an unknown query parameter', () => {
  it.each([
    ['get', '/api/v1/users?page=2'],
    ['delete', '/api/v1/users/usr_x?page=2'],
  ] as const)('is named as one: %s %s', async (method, path) => {
    const api = await service.client();
    const { body } = await api.send(method, path).expect(400);
    expect(body.errors).toEqual([
      { field: 'page', code: 'unknown', message: 'is not a known query parameter' },
    ]);
  });
});

describe('a query of many parts', () => {
  const many = '&'.repeat(5_000);

  it.each([`limit=2&${many}bogus=1`, `${many}bogus=1`, `${'limit=2&'.repeat(1_500)}&bogus=1`])(
    'is read to its end: %.20s',
    async (query) => {
      const api = await service.client();
      for (const path of ['/api/v1/users', '/api/v1/users/search', '/api/v1/users/usr_x', '/livez']) {
        const { body } = await api.get(`${path}?${query}`).expect(400);
        expect(body.errors).toContainEqual({
          field: 'bogus',
          code: 'unknown',
          message: 'is not a known query parameter',
        });
      }
    },
  );

  it('is filtered by its last part', async () => {
    const api = await service.client();
    await api.createUser();
    const { body } = await api.get(`/api/v1/users?limit=2&${many}role=viewer`).expect(200);
    expect(body.data).toEqual([]);
  });
});

describe('GET /livez and /readyz', () => {
  it('answer without a token', async () => {
    await service.anonymous().get('/livez').expect(200, { status: 'ok' });
    await service.anonymous().get('/readyz').expect(200, { status: 'ok' });
  });

  it('/readyz reports an outdated schema', async () => {
    const ready = (status: number) =>
      until(async () => {
        const answer = await service.anonymous().get('/readyz');
        return answer.status === status && answer;
      });
    await service.dataSource.query(`UPDATE ums_migrations SET name = 'not-' || name`);
    const { body, headers } = await ready(503);
    expect(body).toMatchObject({
      code: 'unavailable',
      detail: 'The schema is older than this release. Run: ums migrate',
    });
    expect(headers['retry-after']).toMatch(/^\d+$/);
    await service.anonymous().get('/livez').expect(200);
    await service.dataSource.query(`UPDATE ums_migrations SET name = substr(name, 5)`);
    await ready(200);
  });

  it('/readyz asks the database at most once a second, whoever asks, and /livez never', async () => {
    await service.app.get(LastUse, { strict: false }).beforeApplicationShutdown(); // it would ask, too
    const query = jest.spyOn(service.dataSource, 'query');
    // A second is over when the test says so.
    const seconds: (() => void)[] = [];
    const begin = globalThis.setTimeout;
    const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation((run, ms, ...rest) => {
      if (ms === 1_000) seconds.push(run);
      return begin(ms === 1_000 ? () => {} : run, ms, ...rest);
    });
    try {
      const isAsked = async () => {
        await service.anonymous().get('/readyz').expect(200);
        return query.mock.calls.length > 0;
      };
      await until(isAsked); // an earlier answer is forgotten
      const statements = query.mock.calls.length;
      for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 40 }, isAsked));
      expect(query).toHaveBeenCalledTimes(statements);

      for (const end of seconds.splice(0)) end();
      for (let i = 0; i < 20; i++) await service.anonymous().get('/livez').expect(200);
      expect(query).toHaveBeenCalledTimes(statements);
      await Promise.all(Array.from({ length: 40 }, isAsked));
      expect(query).toHaveBeenCalledTimes(2 * statements);
    } finally {
      timers.mockRestore();
      query.mockRestore();
    }
  });
});

const raw = (bytes: string, later?: string) => exchange(service.url, bytes, later);

describe('a request that the HTTP parser rejects', () => {
  it.each([
    ['garbage', 'GARBAGE\r\n\r\n', 400, 'bad_request'],
    ['without a Host', 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'bad_request'],
    [
      'with conflicting lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'bad_request',
    ],
    ['with a space in a header name', 'GET / HTTP/1.1\r\nHost: a\r\nX Y: z\r\n\r\n', 400, 'bad_request'],
    [
      'with headers of 20 KB',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'with an unsupported expectation',
      'GET /livez HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n\r\n',
      417,
      'expectation_failed',
    ],
  ])('gets the error body and an X-Request-ID: %s', async (_what, bytes, status, code) => {
    const answer = await raw(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const [head, body] = answer.split('\r\n\r\n');
    const requestId = /^X-Request-ID: (.+)$/im.exec(head)?.[1];
    expect(requestId).toMatch(UUID);
    expect(head).toMatch(/^Content-Type: application\/problem\+json/im);
    expect(JSON.parse(body)).toMatchObject({ status, code, requestId });
    if (status === 400) expect(JSON.parse(body).errors).toHaveLength(1);
    await service.anonymous().get('/livez').expect(200);
  });
});

describe('a request that becomes malformed', () => {
  it('gets its id and its limits if only its body is malformed', async () => {
    const { tokenValue } = await service.client();
    const answer = await raw(
      `POST /api/v1/users HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tokenValue}\r\nX-Request-ID: mine\r\n` +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      'zz\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toMatch(/^X-Request-ID: mine\r$/im);
    expect(answer).toMatch(/^X-RateLimit-Remaining: 999\r$/im);
  });

  it('does not replace the response of the complete request before it', async () => {
    const api = await service.client();
    const user = await api.createUser();
    const answer = await raw(
      `DELETE /api/v1/users/${user.id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.tokenValue}\r\n\r\nGARBAGE\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 204 [^]*^HTTP\/1.1 400 /m);
    await api.get(`/api/v1/users/${user.id}`).expect(404);
  });
});

describe('Expect: 100-continue', () => {
  const head = (authorization: string, length: number) =>
    `POST /api/v1/users HTTP/1.1\r\nHost: a\r\n${authorization}Content-Type: application/json\r\nContent-Length: ${length}\r\n` +
    'Expect: 100-continue\r\n';

  it('is answered when the body is about to be read', async () => {
    const { tokenValue } = await service.client();
    const body = '{"name":"Ada","email":"continue@example.com"}';
    const answer = await raw(
      `${head(`Authorization: Bearer ${tokenValue}\r\n`, body.length)}Connection: close\r\n\r\n`,
      body,
    );
    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
  });

  it('is not answered for an unauthorized caller, and the connection closes', async () => {
    const answer = await raw(`${head('', 300_000)}\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    expect(answer).toMatch(/^Connection: close\r$/im);
  });
});
