/**
 * @slow it starts host applications
 * @only embedded postgres: a host migrates an empty database; test/citus/distribute.test.mjs distributes its tables
 */
import { Injectable, Logger, Module } from '@nestjs/common';
import pg from 'pg';
import request from 'supertest';
import { DataSource } from 'typeorm';
import { migrations } from '../../migrations';
import {
  OrganizationsService,
  runMigrations,
  UserManagementModule,
  UsersService,
  WebhooksService,
} from '../../src';
import { LastUse } from '../../src/auth/last-use';
import { Mount } from '../../src/entry/embedding/mount';
import { schema } from '../../src/schema';
import { withoutDatabase } from '../support/database';
import { clientOf, onHost, OPTIONS, useHost, usePlainHost } from '../support/embedding';
import { describeOn } from '../support/engine';
import { type Host, ownDataSource, startHost, User as HostUser } from '../support/host';
import { startReceiver, verified } from '../support/receiver';
import { untilBlocked } from '../support/until';

const OTHER = { useFactory: () => ({ schema: 'other', prefix: 'other' }) };

const plain = usePlainHost();
const { host } = useHost();

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

describe('forRootAsync', () => {
  @Injectable()
  class Settings {
    createUserManagementOptions = () => OPTIONS;
  }
  @Module({ providers: [Settings], exports: [Settings] })
  class SettingsModule {}

  it('supports useFactory, useClass and useExisting, on a data source with a name', async () => {
    const imports = [SettingsModule];
    for (const module of [
      UserManagementModule.forRootAsync({
        dataSource: 'people',
        imports,
        inject: [Settings],
        useFactory: async (settings: Settings) => settings.createUserManagementOptions(),
      }),
      UserManagementModule.forRootAsync({ dataSource: 'people', useClass: Settings }),
      UserManagementModule.forRootAsync({ dataSource: 'people', imports, useExisting: Settings }),
    ]) {
      const other = await startHost([module], { name: 'people' });
      await (await clientOf(other)).get('/backend/internal/api/v1/users').expect(200);
      await other.close();
    }
  });
});

it('suggests a schema if a table of the application has the same name', async () => {
  await expect(startHost([UserManagementModule.forRoot()])).rejects.toThrow(
    'Give the service a schema of its own',
  );
});

it("works in a schema called o'brien", async () => {
  await onHost({ ...OPTIONS, schema: "o'brien" }, async (other) => {
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
      expect.arrayContaining([
        'token.created',
        'user.created',
        'user.updated',
        'user.deleted',
        'user.purged',
      ]),
    );
  });
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
      await untilBlocked(sharing.dataSource);
      // Those before it have got as far as they can.
      const newcomer = { name: 'Grace', email: 'grace@example.com' };
      await (await clientOf(sharing)).post('/backend/internal/api/v1/users', newcomer).expect(201);

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
  it('is a 503 with Retry-After in the application, although its filter does not handle driver errors', async () => {
    const api = await clientOf(host, ['users:read']);
    await withoutDatabase(host.dataSource, async () => {
      const { body, headers } = await api.get('/backend/v1/reports').expect(503);
      expect(body).toEqual({ oops: 503, method: 'GET', url: '/backend/v1/reports' });
      expect(headers['retry-after']).toMatch(/^\d+$/);
    });
    await api.get('/backend/v1/reports').expect(200);
  });
});

describe('the routes of an application', () => {
  const big = (kilobytes: number) => ({ text: 'x'.repeat(kilobytes * 1024) });
  const mine = { 'X-Host': 'me' };
  const json = { ...mine, 'Content-Type': 'application/json' };

  /** The whole response, without its date. */
  async function answerOf({ url }: Host, [method, path, headers, body]: Call) {
    const sending = request(url)[method](path).set(headers);
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    const { status, headers: sent, text: answer } = await sending.send(text);
    delete sent.date;
    // These count seconds, and two requests may see different ones.
    for (const name of ['x-ratelimit-reset', 'retry-after']) if (sent[name]) sent[name] = 'seconds';
    return { status, headers: sent, answer };
  }

  type Call = [
    method: 'get' | 'head' | 'post' | 'put' | 'options',
    path: string,
    headers: Record<string, string>,
    body?: string | object,
  ];

  it('respond the same without the service', async () => {
    const form = { ...mine, 'Content-Type': 'application/x-www-form-urlencoded' };
    const crossOrigin = { ...mine, Origin: 'https://host.example' };
    const calls: [number, ...Call][] = [
      [200, 'get', '/backend/v1/users', mine],
      [200, 'head', '/backend/v1/users', mine],
      [403, 'get', '/backend/v1/users', {}],
      [201, 'post', '/backend/v1/users', json, { login: 'ada' }],
      [400, 'post', '/backend/v1/users', json, { login: 'a', more: 1 }],
      [400, 'post', '/backend/v1/users', json, '{'],
      [200, 'get', '/backend/v1/users', crossOrigin],
      [204, 'options', '/backend/v1/users', crossOrigin],
      [404, 'put', '/backend/v1/users', json, {}],
      [201, 'post', '/backend/v1/echo', json, big(80)],
      [413, 'post', '/backend/v1/echo', json, big(120)],
      [201, 'post', '/backend/v1/echo', form, 'a=1&b=2'],
      [415, 'post', '/backend/v1/echo', { ...json, 'Content-Encoding': 'rot13' }, 'x'],
      [500, 'get', '/backend/v1/boom', mine],
      [200, 'get', '/backend/internal/dashboard/mine', mine],
      [200, 'get', '/backend/v1/internal/api/v1/users/7/avatar', mine],
      [400, 'get', '/backend/v1/internal/api/v1/users/%zz/avatar', mine],
      ...[200, 200, 429].map((status): [number, ...Call] => [status, 'get', '/backend/v1/seldom', mine]),
      ...[
        ...['/', '/backend', '/backend/nothing', '/backend/internal/nothing', '/backend/dashboard'],
        ...['/backend/internal/api/v1/usersandmore', '/backend/internal/dashboards', '/dashboard'],
        ...['/api/v1/users', '/v1/tokens'],
      ].map((path): [number, ...Call] => [404, 'get', path, mine]),
      ...['/', '/backend', '/backend/internal', '/favicon.ico'].map((path): [number, ...Call] => [
        404,
        'get',
        path,
        { ...mine, Accept: 'text/html' },
      ]),
    ];
    for (const [status, ...call] of calls) {
      const [without, embedded] = [await answerOf(plain, call), await answerOf(host, call)];
      expect([call, embedded.status]).toEqual([call, status]);
      expect(embedded).toEqual(without);
    }
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
      'ums.rate_limit_windows',
      'ums.scim_users',
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
  const test = async (loading: Host) => {
    const targets = loading.dataSource.entityMetadatas.map(({ target }) => target);
    expect(targets).toContain(HostUser);
    expect(schema.entities.filter((entity) => targets.includes(entity))).toEqual([]);
    const api = await clientOf(loading);
    await api.post('/backend/internal/api/v1/users', { name: 'Ada', email: 'ada@example.com' }).expect(201);
    await request(loading.url).get('/backend/v1/users').set('X-Host', 'me').expect(200, { data: [] });
  };
  await onHost(OPTIONS, test, { autoLoadEntities: true });
});

it('serves until the host closes its connections', () =>
  onHost(OPTIONS, async (closing) => {
    const api = await clientOf(closing);
    await closing.app.get(Mount).beforeApplicationShutdown(); // the host still accepts requests
    await expect(ownDataSource(closing).destroy()).resolves.toBeUndefined();
    await api.get('/backend/internal/api/v1/users').expect(200);
  }));

it('is closed by the host, before the host closes its connections', async () => {
  const closing = await startHost([UserManagementModule.forRoot(OPTIONS)]);
  const api = await clientOf(closing);
  await api.get('/backend/internal/api/v1/users').expect(200);
  const flushed = jest.spyOn(closing.app.get(Mount).service.get(LastUse), 'flush');
  await closing.close();
  expect(flushed.mock.results.map(({ type }) => type)).toEqual(['return']);
});

describe('webhooks of a host', () => {
  const encryptionKey = Buffer.alloc(32, 7).toString('base64');

  it('have its key, and reach the networks that it allows', async () => {
    const receiver = await startReceiver();
    const webhooks = { encryptionKey, allowedNetworks: ['127.0.0.0/8'] };
    await onHost({ ...OPTIONS, background: true, webhooks }, async ({ app }) => {
      const { id } = await app.get(OrganizationsService).create('Test');
      const { secret } = await app.get(WebhooksService).create(id, { url: receiver.url, types: ['*'] });
      const user = await app.get(UsersService).create(id, { name: 'Ada', email: 'ada@example.com' });
      const isOfUser = ({ event }: { event: { type: string } }) => event.type === 'user.created';
      const message = (await receiver.until((received) => received.some(isOfUser))).find(isOfUser)!;
      expect(verified(secret, message)).toMatchObject({ source: 'application', target: { id: user.id } });
    });
    await receiver.close();
  });

  it('have https if it allows no networks', () =>
    onHost({ ...OPTIONS, webhooks: { encryptionKey } }, async ({ app }) => {
      const { id } = await app.get(OrganizationsService).create('Test');
      const webhooks = app.get(WebhooksService);
      const created = await webhooks.create(id, { url: 'https://example.com/', types: ['*'] });
      const insecure = { url: 'http://example.com/' };
      await expect(webhooks.create(id, { ...insecure, types: ['*'] })).rejects.toMatchObject({ status: 400 });
      await expect(webhooks.update(id, created.webhook.id, insecure)).rejects.toMatchObject({ status: 400 });
    }));

  it('cannot be created without a key', async () => {
    const { id } = await host.app.get(OrganizationsService).create('Test');
    const creation = host.app.get(WebhooksService).create(id, { url: 'https://example.com/', types: ['*'] });
    await expect(creation).rejects.toMatchObject({ status: 503 });
    await request(host.url).get('/backend/internal/api/v1/webhooks').expect(401); // they may be read
  });
});

it('has no webhooks and no dashboard if the host wants none', async () => {
  await onHost({ ...OPTIONS, webhooks: false, dashboard: false }, async ({ url }) => {
    const users = await request(url).get('/backend/internal/api/v1/users').expect(401);
    expect(users.type).toBe('application/problem+json');
    await request(url).get('/backend/internal/api/v1/webhooks').expect(404);
    for (const path of ['', '/', '/x.js']) {
      const { body } = await request(url)
        .get(`/backend/internal/dashboard${path}`)
        .set('X-Host', 'me')
        .expect(404);
      expect(body).toMatchObject({ oops: 404 }); // of the application
    }
  });
});

it('shows an organization the options that concern it', async () => {
  const tokenIssuers = { audience: 'https://users.example.com', rules: [] };
  await onHost({ ...OPTIONS, eventRetentionDays: 30, webhooks: false, tokenIssuers }, async (host) => {
    const { body } = await (await clientOf(host)).get('/backend/internal/api/v1/settings').expect(200);
    expect(body).toMatchObject({
      publicUrl: tokenIssuers.audience,
      eventRetentionDays: 30,
      webhooks: false,
    });
  });
});

it('the log names the path of the service, and no route without that path', async () => {
  const log = jest.spyOn(Logger.prototype, 'log');
  await onHost(OPTIONS, async () => {});
  const contexts = log.mock.contexts as unknown as { context: string }[];
  const lines = log.mock.calls.map(([message], index) => `[${contexts[index].context}] ${message}`);

  expect(lines).toContain('[UserManagementModule] User Management Service mounted at /backend/internal');
  const routes = lines.filter((line) => line.includes('Mapped {'));
  expect(routes).toContain('[RouterExplorer] Mapped {/backend/echo, POST} (version: 1) route');
  expect(routes.filter((line) => !line.includes('{/backend/'))).toEqual([]);
  expect(routes.filter((line) => line.includes('/tokens'))).toEqual([]);
  expect(lines.filter((line) => line.startsWith('[RoutesResolver] TokensController'))).toEqual([]);
});
