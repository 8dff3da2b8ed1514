import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { type Client, type ConnectionOptions, createClient } from '../../client/index';
import { collect, errorOf } from '../support/calls';
import { aUser } from '../support/client';
import { until } from '../support/until';

type TokenOptions = ConnectionOptions & { token: string | (() => string | Promise<string>) };

describe('a call', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** Starts a server that passes the n-th request to the n-th listener, and any further request to the last. */
  async function serving(...listeners: RequestListener[]) {
    const received: { method?: string; headers: IncomingHttpHeaders; at: number }[] = [];
    const server = createServer((request, response) => {
      received.push({ method: request.method, headers: request.headers, at: Date.now() });
      listeners[Math.min(received.length, listeners.length) - 1](request, response);
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = ({ token = 'umt_', ...options }: Partial<TokenOptions> = {}) =>
      createClient({ baseUrl: `http://127.0.0.1:${port}`, token, ...options });
    return { client, received };
  }

  const dropConnection: RequestListener = (_request, response) => void response.destroy();
  const hang: RequestListener = () => {};
  const fail =
    (status: number, retryAfter?: string): RequestListener =>
    (_request, response) => {
      if (retryAfter) response.setHeader('Retry-After', retryAfter);
      response.writeHead(status).end('{"code":"unavailable","detail":"Later."}');
    };
  const succeed: RequestListener = (_request, response) => void response.end('{"data":[],"nextCursor":null}');
  const notFound = fail(404);

  it('is retried after Retry-After with the same request id if the service is unavailable', async () => {
    let idCount = 0;
    const { client, received } = await serving(fail(503, '1'), fail(429, '1'), succeed);
    const { users } = client({ requestId: () => `id-${++idCount}` });
    expect(await collect(users.list())).toEqual([]);
    expect(received.map(({ headers }) => headers['x-request-id'])).toEqual(['id-1', 'id-1', 'id-1']);
    expect(received[1].at - received[0].at).toBeGreaterThanOrEqual(990);
    expect(received[2].at - received[1].at).toBeGreaterThanOrEqual(990);
  });

  it('is retried after a network error until the budget is used up', async () => {
    const { client, received } = await serving(dropConnection, dropConnection, succeed);
    expect(await collect(client().users.list())).toEqual([]);
    expect(received).toHaveLength(3);

    const down = await serving(dropConnection);
    const error = await errorOf(
      down.client({ retryBudgetMs: 500, requestId: () => 'my-id' }).users.get('usr_x'),
    );
    expect(error).toMatchObject({ status: 0, code: 'unreachable', requestId: 'my-id' });
    expect(down.received.length).toBeGreaterThan(2);
    expect(down.received.length).toBeLessThan(8);
  });

  it('is retried after a failure of a gateway', async () => {
    for (const status of [502, 503, 504]) {
      const gateway: RequestListener = (_request, response) => void response.writeHead(status).end('<html>');
      const { client, received } = await serving(gateway, succeed, gateway, notFound);
      expect(await collect(client().users.list())).toEqual([]);
      await client().users.delete('usr_x');
      expect([status, received.length]).toEqual([status, 4]);
    }
  });

  it('is retried if the connection breaks during the body', async () => {
    const truncate: RequestListener = (_request, response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('{');
      setTimeout(() => response.destroy(), 20);
    };
    const { client } = await serving(truncate, succeed);
    expect(await collect(client().users.list())).toEqual([]);
  });

  it('is sent only once if the answer is not from the service', async () => {
    for (const [status, message] of [
      [200, 'Unexpected response: 200 OK.'],
      [500, 'Unexpected response: 500 Internal Server Error.'],
    ] as const) {
      const { client, received } = await serving((_request, response) =>
        response.writeHead(status).end('<html>'),
      );
      const error = await errorOf(client().users.list().page());
      expect([error, received]).toMatchObject([{ status, code: 'unexpected', message }, [{}]]);
    }
  });

  it('is not sent without a token, or with one that no header can contain', async () => {
    const { client, received } = await serving(succeed);
    for (const token of ['umt_\nX: y', 'umt_…']) {
      const error = await errorOf(client({ token }).users.list().page());
      expect(error).toEqual(
        new TypeError(
          'The token, request id, idempotency key or onBehalfOf has characters that HTTP headers cannot contain.',
        ),
      );
      expect(error.cause).toBeUndefined(); // it would quote the token
    }
    for (const token of ['', () => undefined!, async () => ''])
      expect(await errorOf(client({ token }).users.list().page())).toBeInstanceOf(TypeError);
    expect(received).toEqual([]);
  });

  it('that cannot succeed is not retried', async () => {
    const pem = readFileSync('test/support/self-signed.pem');
    const looping: RequestListener = (_request, response) => response.writeHead(302, { Location: '/' }).end();
    const ssh = () => createTcpServer((socket) => socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9\r\n'));
    for (const [scheme, server, reason] of [
      ['https', createTlsServer({ key: pem, cert: pem }), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      ['https', createServer(), 'ERR_SSL_WRONG_VERSION_NUMBER'],
      ['http', ssh(), 'HPE_INVALID_CONSTANT'],
      ['http', createServer(looping), 'redirect count exceeded'],
      ['http', undefined, 'bad port'], // which fetch() refuses
    ] as const) {
      if (server) await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = (server?.address() ?? { port: 22 }) as AddressInfo;
      const attempt = jest.fn(fetch);
      const client = createClient({
        baseUrl: `${scheme}://127.0.0.1:${port}`,
        token: 'umt_',
        fetch: attempt,
      });
      const error = await errorOf(client.users.list().page());
      server?.close();
      expect(error).toMatchObject({
        code: 'unreachable',
        message: `The service could not be reached (${reason}).`,
      });
      expect(attempt).toHaveBeenCalledTimes(1);
    }
  });

  it('is retried while the DNS does not answer, but not if it does not know the host', async () => {
    const codes = ['EAI_AGAIN', 'ENOTFOUND', 'ENOTFOUND'];
    const client = createClient({
      baseUrl: 'http://nowhere.invalid',
      token: 'umt_',
      fetch: () => Promise.reject(new TypeError('fetch failed', { cause: { code: codes.shift() } })),
    });
    expect(await errorOf(client.users.list().page())).toMatchObject({
      message: 'The service could not be reached (ENOTFOUND).',
    });
    expect(codes).toEqual(['ENOTFOUND']);
  });

  it('is not retried if a second one could do more than the first', async () => {
    const { client, received } = await serving(fail(503, '0'));
    const { users, deletedUsers, tokens } = client();
    expect(await errorOf(tokens.create({ name: 'CI', scopes: [] }))).toMatchObject({
      status: 503,
      retryAfter: 0,
    });
    expect(await errorOf(tokens.rotate('tok_x'))).toMatchObject({ status: 503 });
    expect(await errorOf(deletedUsers.restore('usr_x'))).toMatchObject({ status: 503 });
    expect(await errorOf(users.update('usr_x', {}))).toMatchObject({ status: 503 });
    expect(await errorOf(users.update('usr_x', {}, { ifMatch: 1 }))).toMatchObject({ status: 503 });
    expect(received.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST', 'PATCH', 'PATCH']);
    for (const { headers } of received) expect(headers).not.toHaveProperty('idempotency-key');
  });

  it('that creates a user is retried with the same key, which no other call has', async () => {
    const inProgress: RequestListener = (_request, response) =>
      void response
        .writeHead(409, { 'Retry-After': '1' })
        .end('{"code":"idempotency_in_progress","detail":"Later."}');
    const created: RequestListener = (_request, response) =>
      void response.writeHead(201).end('{"id":"usr_x"}');
    const { client, received } = await serving(dropConnection, inProgress, fail(503, '0'), created);
    const { users } = client();
    for (let i = 0; i < 2; i++) expect(await users.create(aUser())).toEqual({ id: 'usr_x' });
    await users.create(aUser(), { idempotencyKey: 'import-1' });
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([...Array(4).fill(keys[0]), keys[4], 'import-1']);
    expect(keys[0]).toMatch(/^[\d-]{15,43}$/);
    expect(keys[4]).not.toBe(keys[0]);
    expect(received[2].at - received[1].at).toBeGreaterThanOrEqual(990);
  });

  it('that creates a user is sent only once if the service refuses it or nothing may be retried', async () => {
    const { client, received } = await serving(fail(409), fail(422), fail(503, '0'));
    expect(await errorOf(client().users.create(aUser()))).toMatchObject({ status: 409 });
    expect(await errorOf(client().users.create(aUser()))).toMatchObject({ status: 422 });
    expect(await errorOf(client({ retryBudgetMs: 0 }).users.create(aUser()))).toMatchObject({ status: 503 });
    expect(received).toHaveLength(3);
  });

  it('that sends a batch is retried with the same key', async () => {
    const people = Array.from({ length: 500 }, () => aUser());
    for (const [users, options] of [
      [people.slice(0, 1), {}],
      [people, { mode: 'upsert', atomic: true }],
      [people, { dryRun: true }],
    ] as const) {
      const { client, received } = await serving(dropConnection, fail(503, '0'), succeed);
      await client().users.batch([...users], options);
      const keys = received.map(({ headers }) => headers['idempotency-key']);
      expect(keys).toEqual(Array(3).fill(expect.stringMatching(/^[\d-]{15,43}$/)));
      expect(new Set(keys).size).toBe(1);
      await client().users.batch([...users], { ...options, idempotencyKey: 'import-1' });
      await client().users.batch([...users], options);
      expect(received[3].headers['idempotency-key']).toBe('import-1');
      expect(received[4].headers['idempotency-key']).not.toBe(keys[0]);
    }
  });

  it('that deletes or restores many users is retried with the same key', async () => {
    for (const send of [
      (to: Client) => to.users.batchDelete(['usr_x']),
      (to: Client) => to.deletedUsers.batchRestore(['usr_x'], { atomic: true }),
    ]) {
      const { client, received } = await serving(dropConnection, succeed);
      await send(client());
      const keys = received.map(({ headers }) => headers['idempotency-key']);
      expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    }
  });

  it('has deleted a resource if the response was lost and the retry returns 404', async () => {
    const { client } = await serving(dropConnection, notFound);
    await client().users.delete('usr_x');
    const limited = await serving(fail(429, '0'), notFound);
    expect(await errorOf(limited.client().users.delete('usr_x'))).toMatchObject({ status: 404 });
  });

  it('has not deleted a user if the response was lost and the retry finds another version', async () => {
    const { client, received } = await serving(dropConnection, fail(412));
    expect(await errorOf(client().users.delete('usr_x', { ifMatch: 3 }))).toMatchObject({ status: 412 });
    expect(received.map(({ headers }) => headers['if-match'])).toEqual(['"3"', '"3"']);
  });

  it('times out', async () => {
    const { client } = await serving(hang);
    const error = await errorOf(client({ timeoutMs: 50, retryBudgetMs: 0 }).users.get('usr_x'));
    expect(error).toMatchObject({ code: 'unreachable', message: 'The service did not respond in time.' });
  });

  it('can be aborted by the caller, between attempts too', async () => {
    const begin = globalThis.setTimeout;
    // Neither a time limit nor the pause before the next attempt ever ends.
    jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
    const timers = jest
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation((run, ms, ...rest) => begin(ms === 20_000 ? () => {} : run, ms, ...rest));
    try {
      const { client, received } = await serving(hang, fail(503, '20'));
      const reason = new Error('aborted');
      for (const isUnderWay of [
        () => received.length === 1,
        () => timers.mock.calls.some(([, ms]) => ms === 20_000),
      ]) {
        const controller = new AbortController();
        const call = () => errorOf(client().users.get('usr_x', { signal: controller.signal }));
        const error = call();
        await until(isUnderWay);
        controller.abort(reason);
        expect(await error).toBe(reason);
        expect(await call()).toBe(reason);
      }
      expect(received).toHaveLength(2);
    } finally {
      jest.restoreAllMocks();
    }
  }, 60_000);
});
