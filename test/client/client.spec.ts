/**
 * @only embedded: other suites send its requests
 */
import {
  ApiError,
  type Client,
  type ConnectionOptions,
  createClient,
  type Credentials,
} from '../../client/index';
import { GroupsService } from '../../src/groups/groups.service';
import { collect, errorOf } from '../support/calls';
import { aUser } from '../support/client';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';

let service: TestService;
beforeAll(async () => (service = await startService({ RATE_LIMIT_PER_MINUTE: '40' })));
afterAll(() => service.close());

async function clientOf(options: Partial<ConnectionOptions> = {}): Promise<Client> {
  const { tokenValue } = await service.client();
  return createClient({ baseUrl: service.url, token: tokenValue, ...options });
}

describe('users', () => {
  it('are created, read, changed and deleted', async () => {
    const { users } = await clientOf();
    const ada = await users.create({ name: 'Ada', email: 'ada@example.com', metadata: { plan: 'pro' } });
    expect(ada).toMatchObject({ id: expect.stringMatching(/^usr_/), role: 'member' });
    expect(await users.get(ada.id)).toEqual(ada);
    expect(await users.update(ada.id, { role: 'viewer' })).toMatchObject({ role: 'viewer', name: 'Ada' });
    expect(await users.export(ada.id)).toMatchObject({ user: { id: ada.id }, directory: null, groups: [] });
    expect(await users.delete(ada.id)).toBeUndefined();
    expect(await errorOf(users.get(ada.id))).toMatchObject({ status: 404, code: 'not_found' });
    expect(await errorOf(users.delete(ada.id))).toMatchObject({ status: 404 });
  });

  it('are changed and deleted only if they still have the version that the caller knows', async () => {
    const { users } = await clientOf();
    const { id, version } = await users.create(aUser());
    const changed = await users.update(id, { role: 'admin' }, { ifMatch: version });
    const stale = { status: 412, code: 'precondition_failed' };
    expect(await errorOf(users.update(id, { role: 'viewer' }, { ifMatch: version }))).toMatchObject(stale);
    expect(await errorOf(users.delete(id, { ifMatch: version }))).toMatchObject(stale);
    expect(await users.get(id)).toEqual(changed);
    await users.delete(id, { ifMatch: changed.version });
    expect(await errorOf(users.get(id))).toMatchObject({ status: 404 });
  });

  it('are iterated over all pages', async () => {
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

  it.each(['', '.', '..'])('reject the id %j, which would address another path', async (id) => {
    const { users } = await clientOf();
    expect(() => users.delete(id)).toThrow(
      new TypeError(`Invalid id ${JSON.stringify(id)}: it must not be empty, "." or "..".`),
    );
  });

  it.each(['a/b', '%zz', '?q', 'ä'])('are not found with the id %s', async (id) => {
    const { users } = await clientOf();
    expect(await errorOf(users.get(id))).toMatchObject({ status: 404, code: 'not_found' });
  });
});

it('deleted users are listed, read, restored and purged', async () => {
  const { users, deletedUsers } = await clientOf();
  const ada = await users.create({ name: 'Ada', email: 'ada@example.com' });
  await users.delete(ada.id);
  const [deleted] = await collect(deletedUsers.list({ email: 'ADA@example.com', limit: 1 }));
  expect(deleted).toMatchObject(ada);
  expect(await deletedUsers.get(ada.id)).toEqual(deleted);
  await users.create({ name: 'Other Ada', email: 'ada@example.com' });
  const taken = { status: 409, code: 'conflict', errors: [{ field: 'email', code: 'taken' }] };
  expect(await errorOf(deletedUsers.restore(ada.id))).toMatchObject(taken);
  const restored = await deletedUsers.restore(ada.id, { email: 'ada@second.example' });
  expect(restored).toMatchObject({ id: ada.id, email: 'ada@second.example', version: 2 });
  await users.delete(ada.id);
  expect(await deletedUsers.purge(ada.id)).toBeUndefined();
  expect(await errorOf(deletedUsers.get(ada.id))).toMatchObject({ status: 404 });
});

it('the organization is counted', async () => {
  const client = await clientOf();
  await client.users.create(aUser());
  expect((await client.statistics()).users).toEqual({ total: 1, active: 1, exact: true });
});

it('groups are listed by name, page by page, and read', async () => {
  const { organizationId, tokenValue } = await service.client();
  const { groups, users } = createClient({ baseUrl: service.url, token: tokenValue });
  const { id } = await users.create({ name: 'Ada', email: 'ada@example.com' });
  const directory = service.app.get(GroupsService);
  for (const displayName of ['Sales', 'engineering', 'Support'])
    await directory.create(organizationId, { displayName }, displayName === 'Sales' ? [id] : []);

  const listed = await collect(groups.list({ limit: 1 }));

  expect(listed.map(({ displayName }) => displayName)).toEqual(['engineering', 'Sales', 'Support']);
  const [, sales] = listed;
  expect(await groups.get(sales.id)).toEqual(sales);
  expect(sales).toMatchObject({ externalId: null, memberCount: 1 });
  expect(await collect(groups.list({ displayName: 'SALES' }))).toEqual([sales]);
  expect(await collect(groups.list({ user: id }))).toEqual([sales]);
  expect((await collect(users.list({ group: sales.id }))).map((user) => user.id)).toEqual([id]);
  expect(await errorOf(groups.get('grp_00000000000000000000000000'))).toMatchObject({
    status: 404,
    code: 'not_found',
    message: expect.stringContaining('no such group'),
  });
});

it('tokens are created, listed, read, rotated and revoked', async () => {
  const { tokens } = await clientOf();
  const created = await tokens.create({ name: 'CI', scopes: ['users:read'], expiresIn: '1d' });
  const ownClient = createClient({ baseUrl: `${service.url}/`, token: async () => created.token });
  expect(await ownClient.tokens.current()).toMatchObject({ id: created.id, state: 'active' });
  expect((await collect(tokens.list({ limit: 1 }))).map(({ id }) => id)).toContain(created.id);
  expect(await tokens.get(created.id)).not.toHaveProperty('token');
  const rotated = await tokens.rotate(created.id, { overlap: '1h', expiresIn: '2d' });
  expect(rotated).toMatchObject({ rotatedFrom: created.id, expiresIn: '2d', token: expect.any(String) });
  expect(await tokens.rotate(rotated.id)).toMatchObject({ rotatedFrom: rotated.id });
  expect(await tokens.revoke(created.id)).toBeUndefined();
  expect(await errorOf(ownClient.tokens.current())).toMatchObject({ status: 401, code: 'unauthorized' });
});

describe('events', () => {
  it('are listed and read', async () => {
    const { users, events } = await clientOf();
    const { id } = await users.create(aUser());
    const list = await collect(events.list({ limit: 1 }));
    expect(list.map(({ sequence, type }) => [sequence, type])).toEqual([
      [1, 'token.created'],
      [2, 'user.created'],
    ]);
    expect(await events.get(list[1].id)).toEqual(list[1]);
    expect(await collect(events.list({ order: 'desc', target: id }))).toEqual([list[1]]);
    expect(await collect(events.list({ type: 'user.deleted' }))).toEqual([]);
  });

  it('are followed until the signal, and again from the cursor', async () => {
    const { users, events } = await clientOf();
    const stop = new AbortController();
    const feed = events.follow({ type: 'user.created', intervalMs: 10, signal: stop.signal });
    const seen: string[] = [];
    const followed = (async () => {
      for await (const { target } of feed) seen.push(target.id);
    })();
    const created: string[] = [];
    for (let n = 0; n < 3; n++) {
      created.push((await users.create(aUser())).id);
      await until(() => seen.length === created.length);
    }
    expect(seen).toEqual(created);
    const behind = feed.cursor;
    stop.abort(new Error('enough'));
    await expect(followed).rejects.toThrow('enough');
    const next = await users.create(aUser());
    for await (const { target } of events.follow({ type: 'user.created', cursor: feed.cursor ?? behind })) {
      expect(target.id === next.id || created.includes(target.id)).toBe(true);
      if (target.id === next.id) break;
    }
  });

  it('are followed through an outage, but not with a wrong token', async () => {
    let failures = 0;
    const flaky: typeof fetch = async (...call) => {
      if (failures++ < 3) return new Response('{}', { status: 503 });
      return fetch(...call);
    };
    const { events } = await clientOf({ fetch: flaky, retryBudgetMs: 0 });
    for await (const { sequence } of events.follow({ intervalMs: 1 })) {
      expect(sequence).toBe(1);
      break;
    }
    expect(failures).toBe(4);
    const wrong = createClient({ baseUrl: service.url, token: 'umt_wrong' });
    expect(await errorOf(wrong.events.follow()[Symbol.asyncIterator]().next())).toMatchObject({
      status: 401,
    });
  });
});

describe('createClient()', () => {
  const baseUrl = 'http://localhost:3000';
  const secret = { clientId: 'tok_x', clientSecret: 'umt_x' };
  const assertion = () => 'header.claims.signature';

  it('requires either a token or credentials', () => {
    // @ts-expect-error None of them.
    expect(() => createClient({ baseUrl })).toThrow(TypeError);
    // @ts-expect-error Both of them.
    expect(() => createClient({ baseUrl, token: 'umt_', credentials: secret })).toThrow(TypeError);
    expect(() => createClient({ baseUrl, token: undefined, credentials: secret })).not.toThrow();
  });

  it.each([
    {},
    { clientId: 'tok_x' },
    { clientId: 'tok_x', clientSecret: '' },
    { clientId: '', clientSecret: 'umt_' },
    { assertion: 'header.claims.signature' },
    { ...secret, assertion },
    { clientId: 'tok_x', assertion },
  ])('refuses incomplete and contradictory credentials: %j', (credentials) => {
    expect(() => createClient({ baseUrl, credentials: credentials as Credentials })).toThrow(
      new TypeError('credentials must be { clientId, clientSecret } or { assertion }, a function.'),
    );
  });

  it('refuses an empty list of scopes, for which the service would give all', () => {
    expect(() => createClient({ baseUrl, credentials: { ...secret, scopes: [] } })).toThrow(
      new TypeError('credentials.scopes is empty. Leave it out to ask for all.'),
    );
  });
});

describe('a base URL', () => {
  it.each([
    'localhost:3000',
    'ftp://localhost',
    '',
    '/internal',
    'http://',
    'http://user:password@localhost',
    'http://localhost?a=b',
    'http://localhost/#a',
    undefined!,
  ])('is rejected at once if no call could succeed with it: %j', (baseUrl) => {
    expect(() => createClient({ baseUrl, token: 'umt_' })).toThrow(
      new TypeError(
        'baseUrl must be an http:// or https:// URL, such as http://localhost:3000, without credentials, query or fragment.',
      ),
    );
  });

  it.each(['http://host', 'http://host//', 'HTTPS://host/a', 'https://host:8443/a/b/'])(
    'may have a path and end in slashes: %s',
    async (baseUrl) => {
      const requested: string[] = [];
      const fetch = async (url: unknown) => {
        requested.push(String(url));
        return Response.json({});
      };
      await createClient({ baseUrl, token: 'umt_', fetch }).users.get('usr_x');
      const base = baseUrl.replace(/\/+$/, '').replace('HTTPS', 'https');
      expect(requested).toEqual([`${base}/api/v1/users/usr_x`]);
    },
  );
});

describe('an error', () => {
  it('has the faults of the fields and the request id of the caller', async () => {
    const { users } = await clientOf({ requestId: () => 'from-the-client' });
    const error = await errorOf(users.create({ name: '', email: 'nobody' }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 400,
      message: 'name must not be empty (and 1 more)',
      code: 'validation_failed',
      requestId: 'from-the-client',
      errors: [
        { field: 'name', code: 'too_short' },
        { field: 'email', code: 'invalid' },
      ],
    });
    expect(await errorOf(users.get('usr_x', { requestId: 'from-the-call' }))).toMatchObject({
      requestId: 'from-the-call',
    });
  });

  it('is thrown at once if the rate limit resets later than the retry budget allows', async () => {
    const { users } = await clientOf({ retryBudgetMs: 2_000 });
    for (let i = 0; i < 40; i++) await users.list().page();
    const error = await errorOf(users.list().page());
    expect(error).toMatchObject({ status: 429, code: 'rate_limited', errors: [] });
    expect(error.retryAfter).toBeGreaterThan(50);
    expect(error.retryAfter).toBeLessThanOrEqual(60);
  });
});
