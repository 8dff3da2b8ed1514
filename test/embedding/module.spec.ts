/**
 * @slow it starts host applications
 * @only embedded postgres: a host migrates an empty database; test/citus/distribute.test.mjs distributes its tables
 */
import { Injectable, Module } from '@nestjs/common';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { runMigrations, UserManagementModule } from '../../src';
import { migrations } from '../../migrations';
import { withoutDatabase } from '../support/database';
import { clientOf, OPTIONS, useHost, usePlainHost } from '../support/embedding';
import { describeOn } from '../support/engine';
import { startHost } from '../support/host';
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
  it('causes a 503 with Retry-After in the application, although its filter does not handle driver errors', async () => {
    const guarded = await startHost([UserManagementModule.forRoot(OPTIONS)]);
    try {
      const api = await clientOf(guarded, ['users:read']);
      await withoutDatabase(guarded.dataSource, async () => {
        const { body, headers } = await api.get('/backend/v1/reports').expect(503);
        expect(body).toEqual({ oops: 503, method: 'GET', url: '/backend/v1/reports' });
        expect(headers['retry-after']).toMatch(/^\d+$/);
      });
      await api.get('/backend/v1/reports').expect(200);
    } finally {
      await guarded.close();
    }
  });
});
