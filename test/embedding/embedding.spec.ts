/**
 * @slow it starts host applications
 * @only embedded postgres: a host migrates an empty database; test/citus/distribute.test.mjs distributes its tables
 */
import request from 'supertest';
import { UserManagementModule } from '../../src';
import { LastUse } from '../../src/auth/last-use';
import { Mount } from '../../src/entry/embedding/mount';
import { schema } from '../../src/schema';
import { clientOf, OPTIONS, useHost, usePlainHost } from '../support/embedding';
import { type Host, ownDataSource, startHost, User as HostUser } from '../support/host';

const plain = usePlainHost();
const { host } = useHost();

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
  const loading = await startHost([UserManagementModule.forRoot(OPTIONS)], { autoLoadEntities: true });
  try {
    const targets = loading.dataSource.entityMetadatas.map(({ target }) => target);
    expect(targets).toContain(HostUser);
    expect(schema.entities.filter((entity) => targets.includes(entity))).toEqual([]);
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
