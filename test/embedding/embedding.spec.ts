/**
 * @slow it starts host applications
 * @only embedded postgres: a host migrates an empty database; test/citus/distribute.test.mjs distributes its tables
 */
import {
  BadRequestException,
  type HttpException,
  Injectable,
  Logger,
  Module,
  NotFoundException,
} from '@nestjs/common';
import { ModuleRef, NestFactory } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { TypeOrmModule } from '@nestjs/typeorm';
import pg from 'pg';
import request from 'supertest';
import { DataSource } from 'typeorm';
import {
  OrganizationsService,
  runMigrations,
  TokenGuard,
  TokensService,
  UserManagementModule,
  type UserManagementOptions,
  UserSearch,
  UsersService,
} from '../../src';
import type { RequestRecord } from '../../src';
import { migrations } from '../../migrations';
import { LastUse } from '../../src/auth/last-use';
import { openDatabase } from '../../src/database/data-source';
import { Mount } from '../../src/embedding/mount';
import { readConfig } from '../../src/process/config';
import { Client } from '../support/client';
import { emptyDatabase, wakePooler } from '../support/database';
import { describeOn } from '../support/engine';
import { exchange } from '../support/socket';
import { AuditsController, type Host, ownDataSource, startHost, User as HostUser } from '../support/host';

const OPTIONS = { schema: 'ums', prefix: 'internal' } satisfies UserManagementOptions;
const OTHER = { useFactory: () => ({ schema: 'other', prefix: 'other' }) };
const records: RequestRecord[] = [];

let plain: Host;
let host: Host;
beforeAll(async () => {
  plain = await startHost([]);
  host = await startHost([
    UserManagementModule.forRoot({
      ...OPTIONS,
      rateLimitPerMinute: 50,
      onRequest: (record): unknown => {
        records.push(record);
        if (record.route === '/api/v1/users/search') throw new Error('thrown by onRequest');
        // A host may pass an asynchronous function, too.
        if (record.route === '/v1/tokens') return Promise.reject(new Error('rejected by onRequest'));
      },
    }),
  ]);
});
afterAll(async () => {
  await host.close();
  await plain.close();
});

async function clientOf({ app, url }: Host, scopes: ('admin' | 'users:read')[] = ['admin']) {
  const { id: organizationId } = await app.get(OrganizationsService).create('Test');
  const { token, value } = await app.get(TokensService).create(organizationId, { name: 'Test', scopes });
  return new Client(url, { organizationId, tokenId: token.id, value });
}

describe('the routes of an application', () => {
  const big = (kilobytes: number) => ({ text: 'x'.repeat(kilobytes * 1024) });
  const mine = { 'X-Host': 'me' };
  const json = { ...mine, 'Content-Type': 'application/json' };

  /** The whole response, without its date. */
  async function answerOf({ url }: Host, [method, path, headers, body]: Call) {
    const call = request(url)[method](path).set(headers);
    const {
      status,
      headers: sent,
      text,
    } = await call.send(typeof body === 'object' ? JSON.stringify(body) : body);
    delete sent.date;
    // These count seconds, and two requests may see different ones.
    for (const name of ['x-ratelimit-reset', 'retry-after']) if (sent[name]) sent[name] = 'seconds';
    return { status, headers: sent, text };
  }

  type Call = [
    method: 'get' | 'head' | 'post' | 'put' | 'options',
    path: string,
    headers: Record<string, string>,
    body?: string | object,
  ];

  it.each<[number, ...Call]>([
    [200, 'get', '/backend/v1/users', mine],
    [200, 'head', '/backend/v1/users', mine],
    [403, 'get', '/backend/v1/users', {}],
    [201, 'post', '/backend/v1/users', json, { login: 'ada' }],
    [400, 'post', '/backend/v1/users', json, { login: 'a', more: 1 }],
    [400, 'post', '/backend/v1/users', json, '{'],
    [200, 'get', '/backend/v1/users', { ...mine, Origin: 'https://host.example' }],
    [204, 'options', '/backend/v1/users', { ...mine, Origin: 'https://host.example' }],
    [404, 'put', '/backend/v1/users', json, {}],
    [201, 'post', '/backend/v1/echo', json, big(80)],
    [413, 'post', '/backend/v1/echo', json, big(120)],
    [
      201,
      'post',
      '/backend/v1/echo',
      { ...mine, 'Content-Type': 'application/x-www-form-urlencoded' },
      'a=1&b=2',
    ],
    [415, 'post', '/backend/v1/echo', { ...json, 'Content-Encoding': 'rot13' }, 'x'],
    [500, 'get', '/backend/v1/boom', mine],
    [404, 'get', '/', mine],
    [404, 'get', '/backend', mine],
    [404, 'get', '/backend/nothing', mine],
    [404, 'get', '/backend/internal/nothing', mine],
    [404, 'get', '/backend/internal/api/v1/usersandmore', mine],
    [404, 'get', '/backend/internal/dashboards', mine],
    [404, 'get', '/backend/dashboard', mine],
    [404, 'get', '/dashboard', mine],
    [200, 'get', '/backend/internal/dashboard/mine', mine],
    [404, 'get', '/api/v1/users', mine],
    [404, 'get', '/v1/tokens', mine],
    [200, 'get', '/backend/v1/internal/api/v1/users/7/avatar', mine],
    [400, 'get', '/backend/v1/internal/api/v1/users/%zz/avatar', mine],
    [200, 'get', '/backend/v1/seldom', mine],
    [200, 'get', '/backend/v1/seldom', mine],
    [429, 'get', '/backend/v1/seldom', mine],
  ])('respond the same without the service, with %i to %s %s', async (status, ...call) => {
    const [without, embedded] = [await answerOf(plain, call), await answerOf(host, call)];
    expect(embedded.status).toBe(status);
    expect(embedded).toEqual(without);
  });

  it('include the path of the dashboard if it is disabled', async () => {
    const without = await startHost([UserManagementModule.forRoot({ ...OPTIONS, dashboard: false })]);
    for (const path of ['', '/', '/x.js']) {
      const call: Call = ['get', `/backend/internal/dashboard${path}`, mine];
      expect(await answerOf(without, call)).toEqual(await answerOf(plain, call));
    }
    await without.close();
  });

  it('keep the entities, tables and names that they use', async () => {
    expect(host.dataSource.entityMetadatas.map(({ tableName }) => tableName)).toEqual(['users']);
    const sync = await host.dataSource.driver.createSchemaBuilder().log();
    expect(sync.upQueries).toEqual([]);
    const tables: { schema: string; name: string }[] = await host.dataSource.query(
      `SELECT table_schema AS schema, table_name AS name FROM information_schema.tables
       WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2`,
    );
    expect(tables.map(({ schema, name }) => `${schema}.${name}`)).toEqual([
      'public.users',
      'ums.deleted_group_members',
      'ums.deleted_users',
      'ums.event_cursors',
      'ums.event_heads',
      'ums.event_subscribers',
      'ums.events',
      'ums.group_members',
      'ums.groups',
      'ums.idempotency_keys',
      'ums.organizations',
      'ums.purges',
      'ums.rate_limit_windows',
      'ums.replaced_texts',
      'ums.scim_users',
      'ums.search_words',
      'ums.sign_in_rounds',
      'ums.token_events',
      'ums.tokens',
      'ums.ums_migrations',
      'ums.user_search',
      'ums.users',
      'ums.webhook_deliveries',
      'ums.webhook_replays',
      'ums.webhooks',
    ]);
  });
});

it('adds no entity to a data source with autoLoadEntities', async () => {
  const loading = await startHost([UserManagementModule.forRoot(OPTIONS)], { autoLoadEntities: true });
  try {
    expect(loading.dataSource.entityMetadatas.map(({ target }) => target)).toEqual([HostUser]);
    const api = await clientOf(loading);
    await api.post('/backend/internal/api/v1/users', { name: 'Ada', email: 'ada@example.com' }).expect(201);
    await request(loading.url).get('/backend/v1/users').set('X-Host', 'me').expect(200, { data: [] });
  } finally {
    await loading.close();
  }
});

it('serves until the host closes its connections', async () => {
  const closing = await startHost([UserManagementModule.forRoot(OPTIONS)]);
  try {
    const api = await clientOf(closing);
    await closing.app.get(Mount).beforeApplicationShutdown(); // the host still accepts requests
    await expect(ownDataSource(closing).destroy()).resolves.toBeUndefined();
    await api.get('/backend/internal/api/v1/users').expect(200);
  } finally {
    await closing.close();
  }
});

it('is closed by the host, before the host closes its connections', async () => {
  const closing = await startHost([UserManagementModule.forRoot(OPTIONS)]);
  const api = await clientOf(closing);
  await api.get('/backend/internal/api/v1/users').expect(200);
  const flushed = jest.spyOn(closing.app.get(Mount).service.get(LastUse), 'flush');
  await closing.close();
  expect(flushed.mock.results.map(({ type }) => type)).toEqual(['return']);
});

it('answers a DELETE that a table of the host forbids with a 409', async () => {
  const api = await clientOf(host);
  const { body: user } = await api
    .post('/backend/internal/api/v1/users', { name: 'Ada', email: 'held@example.com' })
    .expect(201);
  await host.dataSource.query(
    `CREATE TABLE badges (organization_id text, user_id text, FOREIGN KEY (organization_id, user_id) REFERENCES ums.users)`,
  );
  try {
    await host.dataSource.query('INSERT INTO badges VALUES ($1, $2)', [api.organizationId, user.id]);
    const { body } = await api.delete(`/backend/internal/api/v1/users/${user.id}`).expect(409);
    expect(body).toMatchObject({
      code: 'conflict',
      detail: 'The user cannot be deleted, because a table of the application still refers to it.',
    });
    expect(body.errors).toBeUndefined();
  } finally {
    await host.dataSource.query('DROP TABLE badges');
  }
});

it('offers its services to a host that serves no HTTP', async () => {
  const copy = await emptyDatabase();
  const config = readConfig({ MIGRATE_ON_START: 'false', ...copy.env });
  const database = await openDatabase(config, { entities: [], migrations: [] });
  const worker = await NestFactory.createApplicationContext(
    {
      module: class Worker {},
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ ...database.dataSource.options, retryAttempts: 0 }),
          dataSourceFactory: async () => database.dataSource,
        }),
        UserManagementModule.forRoot(OPTIONS),
      ],
    },
    { logger: false, abortOnError: false },
  );
  try {
    const { id } = await worker.get(OrganizationsService).create('Test');
    await worker.get(UsersService).create(id, { name: 'Ada', email: 'ada@example.com' });
    expect((await worker.get(UsersService).list(id)).data).toMatchObject([{ name: 'Ada' }]);
  } finally {
    await worker.close();
    await database.close();
    await copy.drop();
  }
});

describe('a second module', () => {
  it('is refused before it opens anything', async () => {
    const opened = jest.spyOn(DataSource.prototype, 'initialize');
    const start = startHost([
      UserManagementModule.forRoot(OPTIONS),
      UserManagementModule.forRootAsync(OTHER),
    ]);
    await expect(start).rejects.toThrow('This application has more than one UserManagementModule. Call');
    expect(opened.mock.contexts.map(({ constructor }) => constructor.name)).not.toContain('GuestDataSource');
    opened.mockRestore();
  });

  it('is none if it is the same one in several modules, or of another application in the process', async () => {
    const one = UserManagementModule.forRoot(OPTIONS);
    const other = await startHost([one, { module: class Feature {}, imports: [one] }]);
    const api = await clientOf(other);
    await api.get('/backend/internal/api/v1/users').expect(200);
    await (await clientOf(host)).get('/backend/internal/api/v1/users').expect(200);
    await api.get('/backend/v1/reports').set('X-Host', 'me').expect(200);
    await other.close();
  });
});

describe('the service in an application', () => {
  const users = '/backend/internal/api/v1/users';

  it('serves users, with the paths of the application in Location and Link', async () => {
    const api = await clientOf(host);
    const { body: ada, headers } = await api
      .post(users, { name: 'Ada', email: 'ada@example.com' })
      .expect(201);
    expect(headers.location).toBe(`${users}/${ada.id}`);
    await api.get(headers.location).expect(200, ada);
    await api.post(users, { name: 'Bob', email: 'bob@example.com' }).expect(201);

    const first = await api.get(`${users}?limit=1&sort=name`).expect(200);
    expect(first.body.data).toEqual([ada]);
    const next = /^<(.*)>; rel="next"$/.exec(first.headers.link)![1];
    expect(next).toMatch(`${users}?`);
    expect((await api.get(next).expect(200)).body.data).toMatchObject([{ name: 'Bob' }]);

    expect((await api.get(`${users}/search?q=ada`).expect(200)).body.data).toEqual([ada]);
    expect((await api.get(`${users}/search?q=adq@exampel`).expect(200)).body.data).toEqual([]);
    const { body: changed } = await api.patch(`${users}/${ada.id}`, { name: 'Ada Lovelace' }).expect(200);
    for (const q of ['lo', 'lovelase', 'ovela', ada.id]) {
      expect((await api.get(`${users}/search?q=${q}`).expect(200)).body.data).toEqual([changed]);
    }
    await api.delete(`${users}/${ada.id}`).expect(204);
    await api.get('/backend/internal/v1/tokens/current').expect(200);
    await api.get('/backend/internal/api/v1/tokens').expect(200);
  });

  it.each([
    ['get', '', 401, 'Send a token: Authorization: Bearer <token>.'],
    ['get', '/nobody', 404, 'There is no such user.'],
    ['get', '/%zz', 404, 'There is no such route.'],
    ['get', '/a/b/c', 404, 'There is no such route.'],
    ['put', '', 405, 'Method not allowed. Use GET, HEAD, or POST.'],
    ['get', '?nonsense=1', 400, '1 field is invalid.'],
  ] as const)('answers %s …%s with the error body of the contract and %i', async (...call) => {
    const [method, path, status, detail] = call;
    const api = status === 401 ? new Client(host.url) : await clientOf(host);
    const { body, headers } = await api.send(method, users + path).expect(status);
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(body).toMatchObject({ status, detail, requestId: headers['x-request-id'] });
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['access-control-allow-origin']).toBe('https://host.example');
    expect(headers.etag).toBeUndefined();
  });

  describe('with a body that the application has parsed', () => {
    const user = { name: 'Ada', email: 'ada@example.com' };
    it.each<[number, string, string, string | object]>([
      [415, 'unsupported_media_type', 'application/x-www-form-urlencoded', 'name=Ada&email=a@example.com'],
      [415, 'unsupported_media_type', 'text/plain', 'x'],
      [400, 'malformed_json', 'application/json', '{'],
      [400, 'malformed_json', 'application/json', ''],
      [413, 'payload_too_large', 'application/json', { ...user, name: 'x'.repeat(80 * 1024) }],
      [413, 'payload_too_large', 'application/json', { ...user, name: 'x'.repeat(120 * 1024) }],
      [400, 'validation_failed', 'application/json', { ...user, more: 1 }],
      [400, 'validation_failed', 'application/json', [1]],
    ])('answers %i %s to %s', async (status, code, type, body) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const send = (api: Client) => api.post(users).set('Content-Type', type).send(text);
      expect((await send(await clientOf(host)).expect(status)).body.code).toBe(code);
      // An unauthorized caller gets the same response whatever the body.
      await send(new Client(host.url)).expect(401);
      await send(await clientOf(host, ['users:read'])).expect(403);
    });
  });

  it('serves the dashboard, with its own headers', async () => {
    const page = await request(host.url).get('/backend/internal/dashboard').expect(200);
    expect(page.headers).toMatchObject({
      'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self';/),
      'cache-control': 'no-store',
      'x-request-id': expect.any(String),
    });
    const [, script] = /src="\.\/(.*?)"/.exec(page.text)!;
    await request(host.url).get(`/backend/internal/${script}`).expect(200);
    const { body } = await request(host.url).get('/backend/internal/dashboard/nothing.js').expect(404);
    expect(body).toMatchObject({ code: 'not_found', detail: 'There is no such route.' });
  });

  it('limits requests by its own throttler, and sends its headers', async () => {
    const api = await clientOf(host);
    for (let i = 0; i < 50; i++) await api.get(`${users}/nobody`).expect(404);
    const { headers } = await api.get(`${users}/nobody`).expect(429);
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '50', 'x-ratelimit-remaining': '0' });
  });

  it('passes a record of each request to onRequest', async () => {
    const api = await clientOf(host);
    const { headers } = await api.get(`${users}/nobody`).expect(404);
    expect(records.find(({ requestId }) => requestId === headers['x-request-id'])).toEqual({
      requestId: headers['x-request-id'],
      method: 'GET',
      route: '/api/v1/users/:id',
      status: 404,
      ms: expect.any(Number),
      tokenId: api.tokenId,
      organizationId: api.organizationId,
    });
  });
});

describe('a target in absolute form', () => {
  it('is a path to the service, whatever precedes it', async () => {
    const { tokenValue } = await clientOf(host);
    const body = '{"name":"Ada","email":"absolute@example.com"}';
    const answer = await exchange(
      host.url,
      `POST http://x:99999/backend/internal/api/v1/users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokenValue}\r\n` +
        `Connection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(
      /^HTTP\/1.1 201 [^]*^Location: \/backend\/internal\/api\/v1\/users\/usr_\w{26}\r$/m,
    );
  });
});

describe('an onRequest that throws or rejects', () => {
  const users = '/backend/internal/api/v1/users';

  it('changes no response, and is logged', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    try {
      const api = await clientOf(host);
      const { headers } = await api.get(`${users}/search?q=nobody`).expect(200);
      await api.get('/backend/internal/v1/tokens').expect(200);
      await request(host.url).get(`${users}/search`).expect(401);
      await api.get(`${users}/nobody`).expect(404);
      const logged = error.mock.calls.map(([entry]) => entry);
      expect(logged).toContainEqual({
        requestId: headers['x-request-id'],
        error: expect.objectContaining({ message: 'thrown by onRequest' }),
      });
      expect(JSON.stringify(logged)).toContain('rejected by onRequest');
    } finally {
      error.mockRestore();
    }
  });
});

describe('a route of the application that declares scopes', () => {
  const path = '/backend/v1/reports';

  it('takes the scopes of the method rather than those of the class, and counts a request once', async () => {
    const reader = await clientOf(host, ['users:read']);
    const { body, headers } = await reader.get('/backend/v1/audits').expect(200);
    expect(headers['x-ratelimit-remaining']).toBe('49');
    expect(body.data).toEqual({
      organizationId: reader.organizationId,
      actor: { type: 'token', id: reader.tokenId, name: 'Test' },
      source: 'api',
      requestId: expect.any(String),
    });
    await reader.get('/backend/v1/audits/all').expect(403);
  });

  it('requires a token with the scopes, counts a request once, and fails like the rest of the application', async () => {
    const reader = await clientOf(host, ['users:read']);
    const { body, headers } = await reader.get(path).expect(200);
    expect(body).toEqual({ data: { organizationId: reader.organizationId } });
    expect(headers['x-ratelimit-remaining']).toBe('49');
    await reader.get(`${path}/mine`).expect(200, { data: { id: reader.tokenId } });

    const refused = await new Client(host.url).get(path).expect(401);
    expect(refused.headers['www-authenticate']).toBe('Bearer');
    expect(refused.body).toEqual({ oops: 401, method: 'GET', url: path });
    await host.app.get(TokensService).revoke(reader.organizationId, reader.tokenId);
    await reader.get(path).expect(401);
  });

  it('judges a request that another route has passed on', async () => {
    const reader = await clientOf(host, ['users:read']);
    await reader.get('/backend/v1/audited/secret').expect(403);
    await reader.get('/backend/v1/audited/nothing').expect(404);
  });

  it('lets nobody in without the module, and says why', async () => {
    const guard = new TokenGuard(plain.app.get(ModuleRef));
    const context = new ExecutionContextHost([{}, {}], AuditsController, AuditsController.prototype.all);
    await expect(guard.canActivate(context)).rejects.toThrow('This application has no UserManagementModule');
  });

  it('rejects a token without the scopes', async () => {
    const { id } = await host.app.get(OrganizationsService).create('Test');
    const { value } = await host.app.get(TokensService).create(id, { name: 'Test', scopes: ['users:write'] });
    await new Client(host.url, { value }).get(path).expect(403);
    await new Client(host.url, { value }).get(`${path}/mine`).expect(200);
  });
});

describe('the services', () => {
  const faultsOf = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(error).toBeInstanceOf(BadRequestException);
    const { errors } = (error as BadRequestException).getResponse() as {
      errors: { field: string; code: string }[];
    };
    return errors.map(({ field, code }) => `${field} ${code}`);
  };

  it('accept the same input as the API, with the same defaults', async () => {
    const [users, organizations] = [host.app.get(UsersService), host.app.get(OrganizationsService)];
    const { id } = await organizations.create(' Spaced ');
    const user = await users.create(id, { name: ' Ada ', email: 'ada@example.com' });
    expect(user).toMatchObject({ name: 'Ada', role: 'member', metadata: {} });
    expect((await users.list(id)).data).toMatchObject([{ id: user.id }]);
    expect((await users.list(id, { email: undefined, limit: undefined })).data).toHaveLength(1);
    expect((await host.app.get(UserSearch).search(id, { q: 'ada' })).data).toMatchObject([{ id: user.id }]);
  });

  it('return the same plain record from every method', async () => {
    const [users, tokens] = [host.app.get(UsersService), host.app.get(TokensService)];
    const { id: organizationId } = await host.app.get(OrganizationsService).create('Test');
    const created = await users.create(organizationId, { name: 'Boom', email: 'boom@example.com' });
    expect(Object.keys(created)).toEqual([
      'id',
      'name',
      'email',
      'role',
      'active',
      'metadata',
      'version',
      'createdAt',
      'updatedAt',
    ]);
    const sorts = ['createdAt', 'updatedAt', 'name', 'email'] as const;
    expect(await users.get(organizationId, created.id)).toEqual(created);
    expect(await users.update(organizationId, created.id, {})).toEqual(created);
    const pages = await Promise.all(sorts.map((sort) => users.list(organizationId, { sort })));
    pages.push(await host.app.get(UserSearch).search(organizationId, { q: 'boom' }));
    for (const { data } of pages) expect(data).toEqual([created]);
    const changed = await users.update(organizationId, created.id, { role: 'admin' });
    expect(changed).toEqual({ ...created, role: 'admin', version: 2, updatedAt: changed.updatedAt });

    const { token } = await tokens.create(organizationId, { name: 'Test', scopes: ['admin'] });
    expect(token).toMatchObject({ state: 'active', lastUsedAt: null });
    expect(await tokens.get(organizationId, token.id)).toEqual(token);
    expect((await tokens.list(organizationId)).data).toEqual([token]);
  });

  it('let the application give a token more requests than the service allows, but no caller of the API', async () => {
    const tokens = host.app.get(TokensService);
    const { id } = await host.app.get(OrganizationsService).create('Test');
    const wanted = { name: 'Busy', scopes: ['admin' as const], rateLimit: 100_000 };
    expect((await tokens.create(id, wanted)).token.rateLimit).toBe(100_000);
    const actor = { type: 'token' as const, id: 'tok_1', name: 'CI' };
    const by = { organizationId: id, actor, source: 'api' as const, requestId: null };
    await expect(tokens.create(by, wanted)).rejects.toMatchObject({ status: 400 });
  });

  it('throw exceptions whose bodies have one shape', async () => {
    const users = host.app.get(UsersService);
    const { id } = await host.app.get(OrganizationsService).create('Test');
    const user = { name: 'Ada', email: 'ada@example.com' };
    await users.create(id, user);
    const bodyOf = (call: Promise<unknown>) => call.catch((error: HttpException) => error.getResponse());
    expect(await bodyOf(users.get(id, 'usr_x'))).toEqual({
      statusCode: 404,
      code: 'not_found',
      message: 'There is no such user.',
    });
    expect(await bodyOf(users.create(id, user))).toEqual({
      statusCode: 409,
      code: 'conflict',
      message: 'The email is already used by another user of the organization.',
      errors: [{ field: 'email', code: 'taken', message: expect.any(String) }],
    });
    expect(await bodyOf(users.create(id, { ...user, name: '' }))).toEqual({
      statusCode: 400,
      code: 'validation_failed',
      message: '1 field is invalid.',
      errors: [{ field: 'name', code: 'too_short', message: expect.any(String) }],
    });
  });

  it('reject the same input as the API', async () => {
    const [users, tokens] = [host.app.get(UsersService), host.app.get(TokensService)];
    const { id } = await host.app.get(OrganizationsService).create('Test');
    expect(await faultsOf(users.create(id, { name: '', email: 'nobody' }))).toEqual([
      'name too_short',
      'email invalid',
    ]);
    expect(await faultsOf(users.update(id, 'usr_x', { name: null } as never))).toEqual(['name invalid']);
    expect(await faultsOf(users.list(id, { limit: 1000, sort: 'age' as never }))).toEqual([
      'sort invalid',
      'limit out_of_range',
    ]);
    expect(await faultsOf(host.app.get(UserSearch).search(id, { q: 'x' }))).toEqual(['q too_short']);
    expect(await faultsOf(tokens.create(id, { name: 'x', scopes: [] }))).toEqual(['scopes too_short']);
    expect(await faultsOf(tokens.list(id, { state: 'lost' as never }))).toEqual(['state invalid']);
    expect(await faultsOf(host.app.get(OrganizationsService).create(''))).toEqual(['name too_short']);
  });

  it('report an unknown organization', async () => {
    const [users, tokens] = [host.app.get(UsersService), host.app.get(TokensService)];
    const nowhere = 'org_00000000000000000000000000';
    const token = tokens.create(nowhere, { name: 'x', scopes: ['admin'] });
    await expect(token).rejects.toThrow(new NotFoundException('There is no such organization.'));
    const user = users.create(nowhere, { name: 'Ada', email: 'ada@example.com' });
    await expect(user).rejects.toThrow(new NotFoundException('There is no such organization.'));
    expect((await users.list(nowhere)).data).toEqual([]);
  });
});

describe('forRootAsync', () => {
  @Injectable()
  class Settings {
    createUserManagementOptions = () => OPTIONS;
  }
  @Module({ providers: [Settings], exports: [Settings] })
  class SettingsModule {}

  it.each([
    [
      'useFactory',
      UserManagementModule.forRootAsync({
        dataSource: 'people',
        imports: [SettingsModule],
        inject: [Settings],
        useFactory: async (settings: Settings) => settings.createUserManagementOptions(),
      }),
    ],
    ['useClass', UserManagementModule.forRootAsync({ dataSource: 'people', useClass: Settings })],
    [
      'useExisting',
      UserManagementModule.forRootAsync({
        dataSource: 'people',
        imports: [SettingsModule],
        useExisting: Settings,
      }),
    ],
  ])('supports %s, on a data source with a name', async (_way, module) => {
    const other = await startHost([module], { name: 'people' });
    const api = await clientOf(other);
    await api.get('/backend/internal/api/v1/users').expect(200);
    await other.close();
  });
});

it('suggests a schema if a table of the application has the same name', async () => {
  await expect(startHost([UserManagementModule.forRoot()])).rejects.toThrow(
    'Give the service a schema of its own',
  );
});

it("works in a schema called o'brien", async () => {
  const other = await startHost([UserManagementModule.forRoot({ ...OPTIONS, schema: "o'brien" })]);
  const api = await clientOf(other);
  const users = '/backend/internal/api/v1/users';
  const { body: user } = await api.post(users, { name: 'Ada', email: 'ada@example.com' }).expect(201);
  await api.patch(`${users}/${user.id}`, { name: 'Ada Lovelace' }).expect(200);
  const { body: found } = await api.get(`${users}/search?q=lovelcae`).expect(200);
  expect(found.data).toHaveLength(1);
  await api.delete(`${users}/${user.id}`).expect(204);
  await api.delete(`/backend/internal/api/v1/deleted-users/${user.id}`).expect(204);
  await api.post('/backend/internal/v1/tokens', { name: 'Sync', scopes: ['users:read'] }).expect(201);
  const { body: events } = await api.get('/backend/internal/api/v1/events').expect(200);
  expect(events.data.map(({ type }: { type: string }) => type)).toEqual(
    expect.arrayContaining(['token.created', 'user.created', 'user.updated', 'user.deleted', 'user.purged']),
  );
  await other.close();
});

it('runs the migrations on request', async () => {
  expect(await runMigrations(plain.dataSource, { schema: 'ums' })).toHaveLength(migrations.length);
  expect(await runMigrations(plain.dataSource, { schema: 'ums' })).toEqual([]);
});

describeOn('postgres', 'the pool of the application', () => {
  it('has connections left, however many requests of the service wait for locks', async () => {
    const sharing = await startHost([UserManagementModule.forRoot({ ...OPTIONS, connections: 6 })]);
    const [{ name }] = await sharing.dataSource.query('SELECT current_database() AS name');
    const other = new pg.Client(`${process.env.UMS_TEST_SERVER!.replace(/[^/]*$/, '')}${name}`);
    await other.connect();
    try {
      const api = await clientOf(sharing);
      const users = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          api.post('/backend/internal/api/v1/users', { name: 'Ada', email: `ada${n}@example.com` }),
        ),
      );
      await other.query('BEGIN');
      await other.query('SELECT FROM ums.users FOR UPDATE');
      const changes = users.map(({ body }) =>
        api
          .patch(`/backend/internal/api/v1/users/${body.id}`, { email: `new.${body.email}` })
          .then(({ status }) => status),
      );
      await new Promise((done) => setTimeout(done, 500));

      const [{ waiting }] = await sharing.dataSource.query(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'`,
        [name],
      );
      await other.query('COMMIT');

      expect(waiting).toBe(1); // a fifth of six
      expect(await Promise.all(changes)).toEqual(changes.map(() => 200));
    } finally {
      await other.end();
      await sharing.close();
    }
  });
});

describeOn('postgres', 'an unavailable database', () => {
  it('causes a 503 with Retry-After in the application, although its filter does not handle driver errors', async () => {
    const guarded = await startHost([UserManagementModule.forRoot(OPTIONS)]);
    const admin = new pg.Client(process.env.UMS_TEST_SERVER);
    await admin.connect();
    try {
      const api = await clientOf(guarded, ['users:read']);
      const [{ name }] = await guarded.dataSource.query('SELECT current_database() AS name');
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);

      const { body, headers } = await api.get('/backend/v1/reports').expect(503);

      expect(body).toEqual({ oops: 503, method: 'GET', url: '/backend/v1/reports' });
      expect(headers['retry-after']).toMatch(/^\d+$/);
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      await wakePooler(name);
      await api.get('/backend/v1/reports').expect(200);
    } finally {
      await admin.end();
      await guarded.close();
    }
  });
});
