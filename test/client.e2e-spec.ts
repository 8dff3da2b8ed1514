import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, type Client, type ClientOptions, createClient } from '../client';
import { aUser } from './support/client';
import { startService, type TestService } from './support/service';

let service: TestService;
beforeAll(async () => (service = await startService({ RATE_LIMIT_PER_MINUTE: '40' })));
afterAll(() => service.close());

async function clientOf(options: Partial<ClientOptions> = {}): Promise<Client> {
  const { tokenValue } = await service.client();
  return createClient({ baseUrl: service.url, token: tokenValue, ...options });
}

/** What a call fails with. */
const failure = (call: Promise<unknown>): Promise<ApiError> =>
  call.then(
    () => Promise.reject(new Error('It did not fail.')),
    (error) => error,
  );

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('users', () => {
  it('are created, read, changed and deleted', async () => {
    const { users } = await clientOf();
    const ada = await users.create({ name: 'Ada', email: 'ada@example.com', metadata: { plan: 'pro' } });
    expect(ada).toMatchObject({ id: expect.stringMatching(/^usr_/), role: 'member' });
    expect(await users.get(ada.id)).toEqual(ada);
    expect(await users.update(ada.id, { role: 'viewer' })).toMatchObject({ role: 'viewer', name: 'Ada' });
    expect(await users.delete(ada.id)).toBeUndefined();
    expect(await failure(users.get(ada.id))).toMatchObject({ status: 404, code: 'not_found' });
    expect(await failure(users.delete(ada.id))).toMatchObject({ status: 404 });
  });

  it('are walked over all pages', async () => {
    const { users } = await clientOf();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await users.create({ ...aUser(), name });
    expect((await collect(users.list({ sort: 'name', limit: 2 }))).map(({ name }) => name)).toEqual(names);
    expect((await collect(users.list())).length).toBe(5);
    expect((await collect(users.search({ q: 'example.com', limit: 2 }))).length).toBe(5);

    const first = await users.list({ limit: 3, sort: 'name' }).page();
    expect(first.data.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    const rest = users.list({ limit: 3, sort: 'name', cursor: first.nextCursor! });
    expect((await collect(rest)).map(({ name }) => name)).toEqual(['d', 'e']);
  });

  it.each(['', '.', '..'])('have no id %j, which a URL would take for another path', async (id) => {
    const { users } = await clientOf();
    expect(() => users.delete(id)).toThrow(TypeError);
  });

  it.each(['a/b', '%zz', '?q', 'ä'])('with the id %s are not there', async (id) => {
    const { users } = await clientOf();
    expect(await failure(users.get(id))).toMatchObject({ status: 404, code: 'not_found' });
  });
});

it('tokens are created, listed, read and revoked', async () => {
  const { tokens } = await clientOf();
  const made = await tokens.create({ name: 'CI', scopes: ['users:read'], expiresIn: '1d' });
  const own = createClient({ baseUrl: `${service.url}/`, token: async () => made.token });
  expect(await own.tokens.current()).toMatchObject({ id: made.id, state: 'active' });
  expect((await collect(tokens.list({ limit: 1 }))).map(({ id }) => id)).toContain(made.id);
  expect(await tokens.get(made.id)).not.toHaveProperty('token');
  expect(await tokens.revoke(made.id)).toBeUndefined();
  expect(await failure(own.tokens.current())).toMatchObject({ status: 401, code: 'unauthorized' });
});

describe('a failure', () => {
  it('names the fields, and the id that the caller gave', async () => {
    const { users } = await clientOf({ requestId: () => 'from-the-hook' });
    const error = await failure(users.create({ name: '', email: 'nobody' }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 400,
      code: 'validation_failed',
      requestId: 'from-the-hook',
      errors: [
        { field: 'name', code: 'too_short' },
        { field: 'email', code: 'invalid' },
      ],
    });
    expect(await failure(users.get('usr_x', { requestId: 'of-this-call' }))).toMatchObject({
      requestId: 'of-this-call',
    });
  });

  it('of a limit that is used up comes at once when it would take longer than the budget', async () => {
    const { users } = await clientOf({ retryBudgetMs: 2_000 });
    for (let i = 0; i < 40; i++) await users.list().page();
    const error = await failure(users.list().page());
    expect(error).toMatchObject({ status: 429, code: 'rate_limited', errors: [] });
    expect(error.retryAfter).toBeGreaterThan(50);
    expect(error.retryAfter).toBeLessThanOrEqual(60);
  });
});

describe('a server that', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** Answers the n-th request with the n-th of these, and all others with the last. */
  async function serving(...answers: RequestListener[]) {
    let asked = 0;
    const seen: { method?: string; id?: string | string[]; at: number }[] = [];
    const server = createServer((request, response) => {
      seen.push({ method: request.method, id: request.headers['x-request-id'], at: Date.now() });
      answers[Math.min(asked++, answers.length - 1)](request, response);
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = (options: Partial<ClientOptions> = {}) =>
      createClient({ baseUrl: `http://127.0.0.1:${port}`, token: 'umt_', ...options });
    return { client, seen };
  }

  const dies: RequestListener = (_request, response) => void response.destroy();
  const hangs: RequestListener = () => {};
  const busy =
    (status: number, retryAfter?: string): RequestListener =>
    (_request, response) => {
      if (retryAfter) response.setHeader('Retry-After', retryAfter);
      response.writeHead(status).end('{"code":"unavailable","detail":"Later."}');
    };
  const works: RequestListener = (_request, response) => void response.end('{"data":[],"nextCursor":null}');
  const gone = busy(404);

  it('is unavailable is asked again, as late as it says, with the same id', async () => {
    let made = 0;
    const { client, seen } = await serving(busy(503, '1'), busy(429, '1'), works);
    const { users } = client({ requestId: () => `id-${++made}` });
    expect(await collect(users.list())).toEqual([]);
    expect(seen.map(({ id }) => id)).toEqual(['id-1', 'id-1', 'id-1']);
    expect(seen[1].at - seen[0].at).toBeGreaterThanOrEqual(990);
    expect(seen[2].at - seen[1].at).toBeGreaterThanOrEqual(990);
  });

  it('dies is asked again, until the budget is used up', async () => {
    const { client, seen } = await serving(dies, dies, works);
    expect(await collect(client().users.list())).toEqual([]);
    expect(seen).toHaveLength(3);

    const dead = await serving(dies);
    const error = await failure(
      dead.client({ retryBudgetMs: 500, requestId: () => 'mine' }).users.get('usr_x'),
    );
    expect(error).toMatchObject({ status: 0, code: 'unreachable', requestId: 'mine' });
    expect(dead.seen.length).toBeGreaterThan(2);
    expect(dead.seen.length).toBeLessThan(8);
  });

  it('is unavailable is not asked again to create or change', async () => {
    const { client, seen } = await serving(busy(503, '0'));
    const { users } = client();
    expect(await failure(users.create(aUser()))).toMatchObject({ status: 503, retryAfter: 0 });
    expect(await failure(users.update('usr_x', {}))).toMatchObject({ status: 503 });
    expect(seen.map(({ method }) => method)).toEqual(['POST', 'PATCH']);
  });

  it('died while it deleted has deleted, when there is nothing any more', async () => {
    const { client } = await serving(dies, gone);
    await client().users.delete('usr_x');
    const other = await serving(busy(429, '0'), gone);
    expect(await failure(other.client().users.delete('usr_x'))).toMatchObject({ status: 404 });
  });

  it('does not answer is not waited for', async () => {
    const { client } = await serving(hangs);
    const error = await failure(client({ timeoutMs: 50, retryBudgetMs: 0 }).users.get('usr_x'));
    expect(error).toMatchObject({ code: 'unreachable', message: 'The service took too long to answer.' });
  });

  it('does not answer is left when the caller says so, between attempts too', async () => {
    for (const answer of [hangs, busy(503, '20')]) {
      const { client } = await serving(answer);
      const reason = new Error('enough');
      const startedAt = Date.now();
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 50);
      expect(await failure(client().users.get('usr_x', { signal: controller.signal }))).toBe(reason);
      expect(Date.now() - startedAt).toBeLessThan(1_000);
      expect(await failure(client().users.get('usr_x', { signal: controller.signal }))).toBe(reason);
    }
  });

  it('is no service of ours is an error of its own', async () => {
    const { client } = await serving((_request, response) => {
      response.writeHead(502).end('<html>');
    });
    expect(await failure(client().users.get('usr_x'))).toMatchObject({ status: 502, code: 'unexpected' });
  });
});
