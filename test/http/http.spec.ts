/**
 * @only embedded postgres: the distributed tables of a cluster have no triggers
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { LastUse } from '../../src/auth/last-use';
import { aUser } from '../support/client';
import { useApi, useService } from '../support/service';
import { connectTo, exchange, untilClosed } from '../support/socket';
import { until } from '../support/until';

const service = useService({});

const UUID = /^[0-9a-f-]{36}$/;

describe('X-Request-ID', () => {
  it('repeats a well-formed id of the caller, and is a new id instead of a malformed one', async () => {
    const send = (id: string) => service.anonymous().get('/nothing').set('X-Request-ID', id).expect(404);
    for (const id of ['a', 'A.b_c-9', 'x'.repeat(128)]) {
      const { headers, body } = await send(id);
      expect([headers['x-request-id'], body.requestId]).toEqual([id, id]);
    }
    for (const id of ['', 'x'.repeat(129), 'a b', 'a,b', 'é', '<script>']) {
      const { headers, body } = await send(id);
      expect(headers['x-request-id']).toMatch(UUID);
      expect(body.requestId).toBe(headers['x-request-id']);
    }
  });

  it('is on every response and in its log line', async () => {
    const api = await service.client();
    const reader = await service.client({ scopes: ['users:read'] });
    const answers = await Promise.all([
      api.get('/api/v1/users').expect(200),
      service.anonymous().get('/api/v1/users').expect(401),
      reader.post('/api/v1/users', {}).expect(403),
      api.get('/api/v1/users/%zz').expect(404),
      api.put('/api/v1/users', {}).expect(405),
      api.post('/api/v1/users').set('Content-Type', 'application/json').send('{').expect(400),
      api.get('/livez').expect(200),
    ]);
    const logged = service.logs.map((line) => JSON.parse(line).requestId);
    for (const { headers } of answers) {
      expect(headers['x-request-id']).toMatch(UUID);
      expect(logged).toContain(headers['x-request-id']);
    }
  });
});

it('every response under /api and /v1 forbids caching and content sniffing, and names no server software', async () => {
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

describe('a path', () => {
  it('is a 404 if it is unknown, with or without a token', async () => {
    const api = await service.client();
    for (const path of [
      ...['/', '/api', '/api/v1', '/api/v1/user', '/api/v1/users/a/b', '/v2/tokens'],
      ...['/index.html', '/%2e%2e/etc', '/API/v1/users', '/v1/tokens/current/'],
    ])
      for (const client of [api, service.anonymous()]) {
        const { status, body, headers } = await client.get(path);
        expect([path, status]).toEqual([path, 404]);
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

  it('answers a method that it does not have with 405 and the others, with or without a token', async () => {
    const api = await service.client();
    for (const [method, path, allow] of [
      ['put', '/api/v1/users', 'GET, HEAD, POST'],
      ['delete', '/api/v1/users/search', 'GET, HEAD'],
      ['post', '/api/v1/users/usr_x', 'DELETE, GET, HEAD, PATCH'],
      ['options', '/api/v1/users/usr_x', 'DELETE, GET, HEAD, PATCH'],
      ['patch', '/v1/tokens', 'GET, HEAD, POST'],
      ['patch', '/v1/tokens/current', 'DELETE, GET, HEAD'],
      ['patch', '/api/v1/tokens/current', 'DELETE, GET, HEAD'],
      ['post', '/api/v1/tokens/tok_x', 'DELETE, GET, HEAD, PATCH'],
      ['post', '/livez', 'GET, HEAD'],
    ] as const)
      for (const client of [api, service.anonymous()]) {
        const { status, body, headers } = await client.send(method, path);
        const allowed = headers.allow?.split(', ').sort().join(', ');
        expect([path, status, body.code, allowed]).toEqual([path, 405, 'method_not_allowed', allow]);
      }
  });

  it('is a 404 if it cannot be decoded', async () => {
    for (const id of ['%zz', '%', '%ff', '%c0%80'])
      for (const method of ['get', 'post', 'options'] as const) {
        const { body } = await service.anonymous().send(method, `/api/v1/users/${id}`).expect(404);
        expect({ id, ...body }).toMatchObject({ id, code: 'not_found', detail: 'There is no such route.' });
      }
  });
});

it('a query of many parts is read to its end', async () => {
  const api = await service.client();
  const many = '&'.repeat(5_000);
  for (const query of [`limit=2&${many}bogus=1`, `${many}bogus=1`, `${'limit=2&'.repeat(1_500)}&bogus=1`])
    for (const path of ['/api/v1/users', '/api/v1/users/search', '/api/v1/users/usr_x', '/livez']) {
      const { body } = await api.get(`${path}?${query}`).expect(400);
      const message = 'is not a known query parameter';
      expect(body.errors).toContainEqual({ field: 'bogus', code: 'unknown', message });
    }
  await api.createUser();
  const { body } = await api.get(`/api/v1/users?limit=2&${many}role=viewer`).expect(200);
  expect(body.data).toEqual([]);
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
const idIn = (answer: string, i: number) =>
  [...answer.matchAll(/^X-Request-ID: (.*)\r$/gim)].map(([, id]) => id)[i];

it('a request that the HTTP parser rejects gets the error body and an X-Request-ID', async () => {
  const get = (...headers: string[]) => ['GET / HTTP/1.1', 'Host: a', ...headers, '\r\n'].join('\r\n');
  for (const [bytes, status, code] of [
    ['GARBAGE\r\n\r\n', 400, 'bad_request'],
    ['GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'bad_request'],
    ['\u0016\u0003\u0001\0\u0002\u0001\0\r\n\r\n', 400, 'bad_request'], // a TLS hello
    ['GET /api\r\n\r\n', 400, 'bad_request'],
    ['GET / HTTP/9.9\r\n\r\n', 400, 'bad_request'],
    [get('Content-Length: 1', 'Transfer-Encoding: chunked'), 400, 'bad_request'],
    [get('Content-Length: 1', 'Content-Length: 2'), 400, 'bad_request'],
    [get('X Y: z'), 400, 'bad_request'],
    [get('X: a\0b'), 400, 'bad_request'],
    [get(`X: ${'x'.repeat(20_000)}`), 431, 'headers_too_large'],
    [get().replace('/', `/${'x'.repeat(20_000)}`), 431, 'headers_too_large'],
    [get('Expect: magic'), 417, 'expectation_failed'],
  ] as const) {
    const answer = await raw(bytes);
    const [head, body] = answer.split('\r\n\r\n');
    const requestId = idIn(answer, 0);
    expect(requestId).toMatch(UUID);
    expect(head).toMatch(/^Content-Type: application\/problem\+json/im);
    const sent = bytes.slice(0, 99);
    const problem = { sent, status, code, requestId };
    expect({ sent, ...JSON.parse(body) }).toMatchObject(problem);
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    if (status === 400) expect(JSON.parse(body).errors).toHaveLength(1);
  }
  await service.anonymous().get('/livez').expect(200);
});

it('a method or an upgrade that no route has changes nothing', async () => {
  const begin = (method: string) => `${method} /api/v1/users HTTP/1.1\r\nHost: a\r\n`;
  for (const method of ['TRACE', 'PROPFIND'])
    expect(await raw(`${begin(method)}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 405 /);
  const upgrade = 'Upgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n';
  expect(await raw(begin('GET') + upgrade)).toMatch(/^HTTP\/1.1 401 /);
});

describe('Expect: 100-continue', () => {
  const head = (length: number, ...headers: string[]) =>
    [
      'POST /api/v1/users HTTP/1.1',
      'Host: a',
      'Content-Type: application/json',
      `Content-Length: ${length}`,
      'Expect: 100-continue',
      ...headers,
      '\r\n',
    ].join('\r\n');

  it('is answered when the body is about to be read', async () => {
    const authorization = `Authorization: Bearer ${(await service.client()).tokenValue}`;
    const body = '{"name":"Ada","email":"continue@example.com"}';
    const answer = await raw(head(body.length, authorization, 'Connection: close'), body);
    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
  });

  it('is not answered for an unauthorized caller, and the connection closes', async () => {
    expect(await raw(head(300_000))).toMatch(/^HTTP\/1.1 401 [^]*^Connection: close\r$/im);
  });
});

describe('the log of a failure', () => {
  beforeEach(() => service.logs.splice(0));

  /** What is logged about a request beside its own line. */
  const aboutFailure = () =>
    service.logs
      .map((line) => JSON.parse(line))
      .filter(({ level, route }) => /^(warn|error|fatal)$/.test(level) && !route);

  it.each([
    ['57P03', 503, false],
    ['55000', 500, true],
  ])(
    'is an error if the database reports %s, which is a %d, with a stack: %j',
    async (state, status, has) => {
      await service.dataSource.query(
        `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'of no use' USING ERRCODE = '${state}'; END $$`,
      );
      await service.dataSource.query('CREATE TRIGGER fail BEFORE INSERT ON users EXECUTE FUNCTION fail()');
      try {
        await (await service.client()).post('/api/v1/users', aUser()).expect(status);
      } finally {
        await service.dataSource.query('DROP FUNCTION fail CASCADE');
      }
      const [{ level, msg, error }, ...others] = aboutFailure();
      expect([level, msg, error.message]).toEqual(['error', `SQLSTATE ${state}`, `SQLSTATE ${state}`]);
      expect(others).toEqual([]);
      expect('stack' in error).toBe(has);
    },
  );

  it('has nothing about a body that the HTTP parser refuses while it is read, whose answer has its id', async () => {
    const api = await service.client();
    const socket = await connectTo(service.url);
    const head = [
      'POST /api/v1/users HTTP/1.1',
      'Host: a',
      `Authorization: Bearer ${api.tokenValue}`,
      'X-Request-ID: mine',
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      'Expect: 100-continue',
    ];
    socket.write([...head, '\r\n'].join('\r\n'));
    await once(socket, 'readable'); // 100 Continue: the body is being read
    socket.read();
    socket.write('1\r\n{\r\nno size\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toMatch(/^X-Request-ID: mine\r$/im);
    expect(answer).toMatch(/^X-RateLimit-Remaining: 999\r$/im);
    await api.get('/api/v1/users?limit=1').expect(200);
    expect(aboutFailure()).toEqual([]);
  });
});

describe('a connection', () => {
  const { service, api } = useApi({ RATE_LIMIT_PER_MINUTE: '1000000' }, { limits: 'real' });

  const request = (line: string, headers: string[] = [], body = '') =>
    [
      `${line} HTTP/1.1`,
      'Host: a',
      `Authorization: Bearer ${api.tokenValue}`,
      ...headers,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n');
  const post = (fields: object, line = 'POST /api/v1/users') =>
    request(line, ['Content-Type: application/json'], JSON.stringify(fields));
  const last = () => request('GET /livez', ['Connection: close']);

  const raw = (bytes: string, later?: string) => exchange(service.url, bytes, later);
  const statusesIn = (answer: string) =>
    [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);

  /**
   * How many requests of users are in progress at once at most, while this runs. Each takes until another request,
   * which began later, has been answered.
   */
  async function mostAtOnce(run: (begun: () => Promise<unknown>) => Promise<unknown>): Promise<number> {
    let [now, most] = [0, 0];
    const { query } = service.dataSource;
    // Every list asks the database once, behind the guards.
    service.dataSource.query = (async (...args: Parameters<typeof query>) => {
      if (!/FROM \S*users\b/.test(args[0])) return query.apply(service.dataSource, args);
      most = Math.max(most, ++now);
      await api.get('/api/v1/users?limit=0').expect(400); // behind the guards
      return query.apply(service.dataSource, args).finally(() => now--);
    }) as typeof query;
    await run(() => until(() => most > 0, 1)).finally(() => (service.dataSource.query = query));
    return most;
  }

  describe('pipelined requests', () => {
    it('are answered in order, one at a time', async () => {
      const lists = Array.from({ length: 20 }, (_, i) =>
        request('GET /api/v1/users', [`X-Request-ID: r${i}`]),
      );
      let answer = '';
      expect(await mostAtOnce(async () => (answer = await raw(lists.join('') + last())))).toBe(1);
      expect(statusesIn(answer)).toEqual(Array(21).fill('200'));
      lists.forEach((_list, i) => expect(idIn(answer, i)).toBe(`r${i}`));
    });

    it('see the writes of those before them', async () => {
      const { email } = aUser();
      const find = request(`GET /api/v1/users?email=${email}`);
      const answer = await raw(find + post(aUser({ email })) + find + post(aUser({ email })) + last());
      expect(statusesIn(answer)).toEqual(['200', '201', '200', '409', '200']);
      expect(answer.match(/"data":\[[^\]]/g)).toHaveLength(1);
    });

    it('may be more than fit into a packet, with bodies and refused ones among them', async () => {
      const some =
        request('GET /api/v1/users?limit=1') +
        request('HEAD /api/v1/users?limit=1') +
        post(aUser({ metadata: 'none' })) +
        request('GET /nothing', [], 'x'.repeat(2_000));
      const answer = await raw(some.repeat(60) + last());
      expect(statusesIn(answer)).toEqual([...Array(60).fill(['200', '200', '400', '404']).flat(), '200']);
    });

    it('are not served after one that closes the connection', async () => {
      const { email } = aUser();
      const large = request(
        'POST /api/v1/users',
        ['Content-Type: application/json', 'Connection: close'],
        'x'.repeat(70_000),
      );
      expect(statusesIn(await raw(last() + post(aUser({ email }))))).toEqual(['200']);
      expect(statusesIn(await raw(large + post(aUser({ email }))))).toEqual(['413']);
      // Here it is the service that closes it.
      const { id } = await api.createUser();
      const answer = await raw(request('GET ftp://a') + request(`DELETE /api/v1/users/${id}`));
      expect(statusesIn(answer)).toEqual(['400']);
      await api.delete(`/api/v1/users/${(await api.createUser()).id}`).expect(204); // one that begins later
      await api.get(`/api/v1/users/${id}`).expect(200);
    });

    it('are all answered before the refusal of what follows them and is not HTTP', async () => {
      const answer = await raw(`${request('GET /api/v1/users').repeat(3)}GARBAGE\r\n\r\n`);
      expect(statusesIn(answer)).toEqual(['200', '200', '200', '400']);
    });

    it('are refused at once if a body is not HTTP, though others come before it', async () => {
      const broken = `POST /api/v1/users HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.tokenValue}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n`;
      expect(statusesIn(await raw(request('GET /api/v1/users') + broken))).toEqual(['200', '400']);
    });

    it('are dropped with their connection', async () => {
      const socket = await connectTo(service.url);
      const { email } = aUser();
      const most = await mostAtOnce(async (begun) => {
        socket.write(request('GET /api/v1/users') + post(aUser({ email })));
        await begun();
        socket.resetAndDestroy();
        await raw(last());
      });
      expect(most).toBe(1);
      await api.get('/api/v1/users').expect(200);
    });

    it('in a flood of the shortest requests close the connection', async () => {
      const answer = await raw('GET /x HTTP/1.1\r\nHost:\r\n\r\n'.repeat(2_400) + last());
      expect(statusesIn(answer).length).toBeLessThan(1_000);
      await api.get('/livez').expect(200);
    });
  });

  describe('on which nothing moves', () => {
    const server = (): Server => service.app.getHttpServer();
    afterEach(() => (server().timeout = 30_000));

    it('is closed, and the request is logged as aborted', async () => {
      for (let i = 0; i < 40; i++) await api.createUser({ metadata: { text: 'x'.repeat(16_000) } });
      expect(server().timeout).toBe(30_000);
      server().timeout = 300;
      const before = service.logs.length;
      const socket = await connectTo(service.url);
      // Twenty pages of 650 KB are more than the buffers of the system take.
      socket.write(request('GET /api/v1/users').repeat(20));
      const closed = await until(() => service.logs.slice(before).find((line) => JSON.parse(line).aborted));
      expect(JSON.parse(closed)).toMatchObject({ route: '/api/v1/users', aborted: true });
      socket.resume();
      await untilClosed(socket);
    });

    it('stays open while a request is worked on', async () => {
      server().timeout = 100;
      const { query } = service.dataSource;
      service.dataSource.query = (async (...args: Parameters<typeof query>) => {
        if (/FROM \S*users\b/.test(args[0])) await once(server(), 'timeout');
        return query.apply(service.dataSource, args);
      }) as typeof query;
      const answer = await raw(request('GET /api/v1/users', ['Connection: close'])).finally(
        () => (service.dataSource.query = query),
      );
      expect(statusesIn(answer)).toEqual(['200']);
    });
  });

  describe('a target', () => {
    it('that is no path is a 400, and nothing is stored', async () => {
      for (const target of [
        'http://host/api/v1/users',
        'http://[/api/v1/users',
        'http://x:99999/api/v1/users',
        'http:///api/v1/users',
        'http://user@host/api/v1/users',
        'ftp://host/api/v1/users',
        '/api/v1/users#a',
        '*',
      ]) {
        const answer = await raw(post(aUser(), `POST ${target}`));
        const [head, body] = answer.split('\r\n\r\n');
        expect([target, head]).toEqual([target, expect.stringMatching(/^HTTP\/1.1 400 /)]);
        const requestId = idIn(answer, 0);
        expect(JSON.parse(body)).toMatchObject({ status: 400, code: 'bad_request', requestId });
      }
      expect((await api.get('/api/v1/users').expect(200)).body.data).toEqual([]);
    });

    it('is * for OPTIONS', async () => {
      expect(statusesIn(await raw(request('OPTIONS *') + last()))).toEqual(['404', '200']);
    });
  });
});
