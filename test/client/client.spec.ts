import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import {
  ApiError,
  type BatchDeleteResult,
  type Client,
  type ConnectionOptions,
  createClient,
  createOperatorClient,
  type Credentials,
  type OperatorClientOptions,
  type Organization,
} from '../../client/index';
import { GroupsService } from '../../src/groups/groups.service';
import { newId } from '../../src/platform/database/id';
import { collect, errorOf, thrownBy } from '../support/calls';
import { aUser } from '../support/client';
import { nextMoment } from '../support/clock';
import { type FakeIssuer, startIssuer } from '../support/issuer';
import { OPERATOR_TOKEN } from '../support/routes';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';

const AUDIENCE = 'https://users.example.com';
const [ACME, GLOBEX] = [newId('org'), newId('org')];

let issuer: FakeIssuer;
let service: TestService;
let key: CryptoKey;
beforeAll(async () => {
  issuer = await startIssuer();
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  const keys = JSON.stringify({ keys: [await exportJWK(pair.publicKey)] });
  issuer.answerAt('/keys', (response) => response.end(keys));
  service = await startService({
    OPERATOR_TOKEN,
    PUBLIC_URL: AUDIENCE,
    TOKEN_ISSUERS: [
      `${issuer.url} sub=crm -> ${ACME} users:read users:write`,
      `${issuer.url} sub=both -> ${ACME} users:read`,
      `${issuer.url} sub=both -> ${GLOBEX} users:read`,
    ].join(', '),
  });
  await service.dataSource.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Acme'), ($2, 'Globex')`, [
    ACME,
    GLOBEX,
  ]);
});
afterAll(async () => {
  await service?.close();
  await issuer?.down();
});

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

  it('are searched for with an object, which programs without types may forget', async () => {
    const { users } = await clientOf();
    for (const query of ['ada', undefined, 7])
      expect(() => users.search(query as never)).toThrow(
        new TypeError("users.search() takes an object, such as users.search({ q: 'ada' })."),
      );
  });

  it('are not found with an id of any characters', async () => {
    const { users } = await clientOf();
    for (const id of ['a/b', '%zz', '?q', 'ä'])
      expect([id, await errorOf(users.get(id))]).toMatchObject([id, { status: 404, code: 'not_found' }]);
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

it('the settings are read', async () => {
  expect(await (await clientOf()).settings()).toMatchObject({ eventRetentionDays: 365, tokenMaxDays: null });
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
  expect(await collect(groups.list({ displayName: 'SALES' }))).toEqual([sales]);
  expect(await collect(groups.list({ user: id }))).toEqual([sales]);
  expect((await collect(users.list({ group: sales.id }))).map((user) => user.id)).toEqual([id]);
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

  it('refuses incomplete and contradictory credentials', () => {
    for (const credentials of [
      {},
      { clientId: 'tok_x' },
      { clientId: 'tok_x', clientSecret: '' },
      { clientId: '', clientSecret: 'umt_' },
      { assertion: 'header.claims.signature' },
      { ...secret, assertion },
      { clientId: 'tok_x', assertion },
    ])
      expect([
        credentials,
        thrownBy(() => createClient({ baseUrl, credentials: credentials as Credentials })),
      ]).toEqual([
        credentials,
        new TypeError('credentials must be { clientId, clientSecret } or { assertion }, a function.'),
      ]);
  });

  it('refuses an empty list of scopes, for which the service would give all', () => {
    expect(() => createClient({ baseUrl, credentials: { ...secret, scopes: [] } })).toThrow(
      new TypeError('credentials.scopes is empty. Leave it out to ask for all.'),
    );
  });
});

describe('a base URL', () => {
  it('is rejected at once if no call could succeed with it', () => {
    for (const baseUrl of [
      'localhost:3000',
      'ftp://localhost',
      '',
      '/internal',
      'http://',
      'http://user:password@localhost',
      'http://localhost?a=b',
      'http://localhost/#a',
      undefined!,
    ])
      expect([baseUrl, thrownBy(() => createClient({ baseUrl, token: 'umt_' }))]).toEqual([
        baseUrl,
        new TypeError(
          'baseUrl must be an http:// or https:// URL, such as http://localhost:3000, without credentials, query or fragment.',
        ),
      ]);
  });

  it('is rejected with the one to use if it has the part of the path that each call appends', () => {
    for (const [baseUrl, version, right] of [
      ['http://localhost:3000/api/v1', '/api/v1', 'http://localhost:3000'],
      ['http://localhost:3000/api/v1//', '/api/v1', 'http://localhost:3000'],
      ['https://host/internal/api/v1/', '/api/v1', 'https://host/internal'],
      ['http://localhost:3000/v1', '/v1', 'http://localhost:3000'],
      ['http://api/v1', '/v1', 'http://api'],
    ]) {
      const error = new TypeError(
        `baseUrl must not end in ${version}, which the client adds itself. Use ${right} instead.`,
      );
      expect([baseUrl, thrownBy(() => createClient({ baseUrl, token: 'umt_' }))]).toEqual([baseUrl, error]);
      expect(thrownBy(() => createOperatorClient({ baseUrl, token: 'x' }))).toEqual(error);
    }
  });

  it('may have a path and end in slashes', async () => {
    for (const [baseUrl, base] of [
      ['http://v1', 'http://v1'],
      ['http://host/api', 'http://host/api'],
      ['http://host/apiv1', 'http://host/apiv1'],
      ['http://host/v1/users', 'http://host/v1/users'],
      ['http://host/api/v1/.', 'http://host/api/v1'],
      ['http://host', 'http://host'],
      ['http://host//', 'http://host'],
      ['HTTPS://host/a', 'https://host/a'],
      ['https://host:8443/a/b/', 'https://host:8443/a/b'],
    ]) {
      const fetch = jest.fn(async (_url: unknown) => Response.json({}));
      await createClient({ baseUrl, token: 'umt_', fetch }).users.get('usr_x');
      expect(String(fetch.mock.calls[0][0])).toBe(`${base}/api/v1/users/usr_x`);
    }
  });
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
});

describe('the person for whom a change is made', () => {
  const personsOf = async ({ events }: Client) =>
    (await collect(events.list({ type: 'user.created,user.updated,user.deleted' }))).map(
      ({ onBehalfOf }) => onBehalfOf,
    );

  it('is that of the call, or of the client', async () => {
    const client = await clientOf({ onBehalfOf: 'Zoë à' });
    const { id } = await client.users.create(aUser());
    await client.users.update(id, { role: 'viewer' }, { onBehalfOf: '李小龍 🚀' });
    await client.users.delete(id);
    expect(await personsOf(client)).toEqual(['Zoë à', '李小龍 🚀', 'Zoë à']);
  });

  it('is not sent with a read', async () => {
    const fetch = jest.fn(async (_url: unknown, _init: RequestInit = {}) => Response.json({}));
    const { users } = await clientOf({ fetch, onBehalfOf: 'ada' });
    await users.get('usr_x');
    await users.delete('usr_x');
    const headers = fetch.mock.calls.map(([, init]) => new Headers(init!.headers).get('X-On-Behalf-Of'));
    expect(headers).toEqual([null, 'ada']);
  });

  it('is refused by the service if nobody could read it, and by the client if HTTP has no way to send it', async () => {
    const { users } = await clientOf();
    const refused = await errorOf(users.create(aUser(), { onBehalfOf: 'a\u202eb' }));
    expect(refused).toMatchObject({ status: 400, errors: [{ field: 'X-On-Behalf-Of', code: 'invalid' }] });
    const unsendable = users.create(aUser(), { onBehalfOf: 'a\nb' });
    expect(await unsendable.catch((error: Error) => error)).toBeInstanceOf(TypeError);
  });

  it('is that of the operator, too', async () => {
    const { organizations } = operatorOf({ onBehalfOf: 'ada' });
    const { tokenValue, organizationId } = await service.client();
    await organizations.suspend(organizationId);
    await organizations.resume(organizationId, { onBehalfOf: 'bob' });
    const { events } = createClient({ baseUrl: service.url, token: tokenValue });
    const [, suspended, resumed] = await collect(events.list());
    expect([suspended.onBehalfOf, resumed.onBehalfOf]).toEqual(['ada', 'bob']);
  });
});

const operatorOf = (options: Partial<ConnectionOptions> = {}) =>
  createOperatorClient({ baseUrl: service.url, token: OPERATOR_TOKEN, ...options });
const unavailable = () => Response.json({ code: 'unavailable', detail: 'Later.' }, { status: 503 });

describe('organizations', () => {
  it('are created, read, changed, suspended, resumed and deleted', async () => {
    const { organizations } = operatorOf();
    const externalId = randomUUID();
    const created = await organizations.create({ name: 'Example Inc.', externalId });
    expect(created).toMatchObject({
      id: expect.stringMatching(/^org_/),
      name: 'Example Inc.',
      externalId,
      suspended: false,
    });
    const { id } = created;
    expect(await organizations.get(id)).toEqual(created);
    expect(await organizations.update(id, { name: 'Renamed', externalId: null })).toMatchObject({
      name: 'Renamed',
      externalId: null,
    });
    const suspended = await organizations.suspend(id);
    expect(suspended).toMatchObject({ name: 'Renamed', suspended: true });
    expect(await organizations.suspend(id)).toEqual(suspended);
    expect(await organizations.resume(id)).toMatchObject({ suspended: false });
    expect(await errorOf(organizations.delete(id))).toMatchObject({ status: 409, code: 'conflict' });
    await organizations.suspend(id);
    expect(await organizations.delete(id)).toBeUndefined();
    expect(await errorOf(organizations.get(id))).toMatchObject({ status: 404, code: 'not_found' });
    expect(await errorOf(organizations.delete(id))).toMatchObject({ status: 404 });
  });

  it('are created once by the example in the README, however many ask at once', async () => {
    const [, code] = /```js\n([^`]*function organizationOf[^`]*)```/.exec(
      readFileSync('client/README.md', 'utf8'),
    )!;
    const scope = {
      createOperatorClient,
      ApiError,
      baseUrl: service.url,
      process: { env: { OPERATOR_TOKEN } },
    };
    const organizationOf = runInNewContext(`${code}; organizationOf`, scope) as (customer: {
      id: string;
      name: string;
    }) => Promise<Organization>;
    const customer = { id: randomUUID(), name: 'Example' };
    const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => organizationOf(customer)));
    expect(first).toMatchObject({ name: 'Example', externalId: customer.id });
    expect(others).toEqual([first, first, first]);
    expect(await errorOf(organizationOf({ ...customer, name: '' }))).toMatchObject({ status: 400 });
  });
});

describe('many users', () => {
  it('are deleted and restored by the example in the README', async () => {
    const [, code] = /```js\n([^`]*batchDelete\(leavers\)[^`]*)```/.exec(
      readFileSync('client/README.md', 'utf8'),
    )!;
    const client = await clientOf();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push((await client.users.create(aUser())).id);
    const leavers = [...ids, 'usr_00000000000000000000000000'];
    const result = runInNewContext(`(async () => { ${code}; return { outcomes, gone }; })()`, {
      client,
      leavers,
    });
    const { outcomes, gone } = await (result as Promise<{ outcomes: BatchDeleteResult[]; gone: string[] }>);
    expect(outcomes.map(({ status }) => status)).toEqual([204, 204, 204, 404]);
    expect([...gone]).toEqual(ids);
    expect((await client.users.get(ids[2])).version).toBe(2);
  });

  it('are found by another field, and a dry run deletes nobody', async () => {
    const client = await clientOf();
    const { email, id } = await client.users.create(aUser());
    const options = { by: 'email', dryRun: true } as const;
    const { results, counts } = await client.users.batchDelete([email], options);
    expect([results[0].id, counts]).toEqual([id, { deleted: 1, failed: 0 }]);
    await client.users.get(id);
    const refused = client.deletedUsers.batchRestore([id], { atomic: true });
    expect(await errorOf(refused)).toMatchObject({
      status: 400,
      errors: [{ field: 'users.0', code: 'not_found' }],
    });
  });
});

it('an id that would address another path is rejected', async () => {
  const { users } = await clientOf();
  const { organizations, tokens } = operatorOf();
  for (const id of ['', '.', '..'])
    for (const call of [
      () => users.delete(id),
      () => organizations.get(id),
      () => organizations.suspend(id),
      () => organizations.delete(id),
      () => tokens.list(id),
      () => tokens.revoke('org_x', id),
    ])
      expect(call).toThrow(
        new TypeError(`Invalid id ${JSON.stringify(id)}: it must not be empty, "." or "..".`),
      );
});

it('the tokens of an organization are created, listed and revoked', async () => {
  const { organizations, tokens } = operatorOf();
  const { id } = await organizations.create({ name: 'Example' });
  const { token, ...record } = await tokens.create(id, {
    name: 'First',
    scopes: ['admin'],
    rateLimit: 6_000,
  });
  const client = createClient({ baseUrl: service.url, token });
  expect(await client.tokens.current()).toMatchObject({ id: record.id, rateLimit: 6_000 });
  await nextMoment();
  const second = await tokens.create(id, { name: 'Second', scopes: ['users:read'] });
  const ids = async (list: ReturnType<typeof tokens.list>) => (await collect(list)).map(({ id }) => id);
  expect(await ids(tokens.list(id, { limit: 1 }))).toEqual([second.id, record.id]);

  expect(await tokens.revoke(id, record.id)).toBeUndefined();
  expect(await errorOf(client.tokens.current())).toMatchObject({ status: 401 });
  expect(await ids(tokens.list(id, { state: 'revoked' }))).toEqual([record.id]);
});

describe('a call of the operator', () => {
  it('is retried only if it reads or deletes', async () => {
    const sent: string[] = [];
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      sent.push(init!.method!);
      return sent.length % 2 === 0 ? Response.json({ data: [], nextCursor: null }) : unavailable();
    };
    const { organizations, tokens } = operatorOf({ fetch });
    for (const call of [
      () => organizations.list().page(),
      () => organizations.get('org_x'),
      () => organizations.delete('org_x'),
      () => tokens.list('org_x').page(),
      () => tokens.revoke('org_x', 'tok_x'),
    ])
      await call();
    expect(sent).toEqual(['GET', 'GET', 'DELETE', 'GET', 'DELETE'].flatMap((method) => [method, method]));

    sent.length = 0;
    for (const call of [
      () => organizations.create({ name: 'Example', externalId: 'customer-4711' }),
      () => organizations.update('org_x', { name: 'Example' }),
      () => organizations.suspend('org_x'),
      () => organizations.resume('org_x'),
      () => tokens.create('org_x', { name: 'First', scopes: ['admin'] }),
    ]) {
      expect(await errorOf(call())).toMatchObject({ status: 503 });
      expect(sent.splice(0)).toHaveLength(1);
    }
  });

  it('may take long if it deletes an organization, unless it has a timeout of its own', async () => {
    let respond!: (response: Response) => void;
    const response = new Promise<Response>((resolve) => (respond = resolve));
    const slow: typeof fetch = (_url, init) =>
      new Promise((resolve, reject) => {
        const { signal } = init!;
        signal!.addEventListener('abort', () => reject(signal!.reason));
        void response.then(resolve);
      });
    const { organizations } = operatorOf({ fetch: slow, timeoutMs: 30, retryBudgetMs: 0 });
    const deleted = organizations.delete('org_x'); // would be over before the others, which begin later
    expect(await errorOf(organizations.get('org_x'))).toMatchObject({ code: 'unreachable' });
    expect(await errorOf(organizations.delete('org_x', { timeoutMs: 30 }))).toMatchObject({
      message: 'The service did not respond in time.',
    });
    respond(new Response(null, { status: 204 }));
    expect(await deleted).toBeUndefined();
  });
});

describe('createOperatorClient()', () => {
  const baseUrl = 'http://localhost:3000';
  const credentials = { clientId: 'tok_x', clientSecret: 'umt_x' };
  const requiresToken = new TypeError(
    'createOperatorClient() requires a token, that in OPERATOR_TOKEN, and no credentials.',
  );

  it('requires a token, and takes no credentials', () => {
    // @ts-expect-error No token.
    expect(() => createOperatorClient({ baseUrl })).toThrow(requiresToken);
    // @ts-expect-error Credentials in its place.
    expect(() => createOperatorClient({ baseUrl, credentials })).toThrow(requiresToken);
    // @ts-expect-error Both of them.
    expect(() => createOperatorClient({ baseUrl, token: 'x', credentials })).toThrow(requiresToken);
    const options: OperatorClientOptions = { baseUrl, token: () => 'x' };
    expect(() => createOperatorClient(options)).not.toThrow();
  });
});

const jwtOf = (claims: JWTPayload) =>
  new SignJWT({ iss: issuer.url, aud: AUDIENCE, exp: Math.floor(Date.now() / 1000) + 600, ...claims })
    .setProtectedHeader({ alg: 'ES256' })
    .sign(key);

const clientWith = (credentials: Credentials): Client => createClient({ baseUrl: service.url, credentials });

describe('a client with the ID and the value of a token', () => {
  it('uses its short-lived children, and gets a new one when the last has been revoked', async () => {
    const api = await service.client({ scopes: ['users:read', 'users:write'] });
    const client = clientWith({ clientId: api.tokenId, clientSecret: api.tokenValue });
    const first = await client.tokens.current();
    expect(first).toMatchObject({ parentId: api.tokenId, scopes: ['users:read', 'users:write'] });
    const { id } = await client.users.create(aUser());
    expect(await client.tokens.current()).toMatchObject({ id: first.id });

    await client.tokens.revoke('current');
    await client.users.update(id, { role: 'viewer' }); // is repeated after a 401 alone
    const second = await client.tokens.current();
    expect(second).toMatchObject({ parentId: api.tokenId });
    expect(second.id).not.toBe(first.id);
  });
});

describe('a client with an assertion', () => {
  it('uses tokens of its subject', async () => {
    const client = clientWith({ assertion: () => jwtOf({ sub: 'crm' }), scopes: ['users:write'] });
    await client.users.create(aUser());
    expect(await client.tokens.current()).toMatchObject({
      name: 'crm',
      scopes: ['users:write'],
      createdBy: { issuer: issuer.url, subject: 'crm', name: 'crm' },
    });
  });

  it('chooses one of several organizations', async () => {
    const assertion = () => jwtOf({ sub: 'both' });
    const statistics = await clientWith({ assertion, organizationId: GLOBEX }).statistics();
    expect(statistics.organization).toEqual({ id: GLOBEX, name: 'Globex' });
    expect(await errorOf(clientWith({ assertion }).statistics())).toMatchObject({
      status: 400,
      code: 'invalid_request',
      message: expect.stringContaining(ACME),
    });
  });
});
