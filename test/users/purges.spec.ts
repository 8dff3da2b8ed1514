import { DeletedUsersService } from '../../src/users/deleted/deleted-users.service';
import { runJob } from '../support/background';
import { aUser, type Client, type UserBody } from '../support/client';
import { DAY_MS, deletedPath, pathOf, restorePath, useDeletedUsers } from '../support/deleted-users';
import { startService, type TestService } from '../support/service';

const { service, api, deletedUser, listOf, eventsOf, typesOf } = useDeletedUsers();

/** Has the user deleted so long ago. */
const age = ({ id }: { id: string }, ms: number) =>
  service.dataSource.query(
    'UPDATE deleted_users SET deleted_at = $3 WHERE organization_id = $1 AND id = $2',
    [api.organizationId, id, new Date(Date.now() - ms)],
  );

describe('DELETE /api/v1/deleted-users/{id}', () => {
  it('erases the user, and empties its events', async () => {
    const user = await deletedUser({ name: 'Wilhelmina' });
    const other = await deletedUser({ name: 'Kept' });
    const before = await eventsOf(user);

    await api.delete(deletedPath(user)).set('X-Request-ID', 'purge-1').expect(204);

    await api.get(deletedPath(user)).expect(404);
    await api.post(restorePath(user)).expect(404);
    await api.delete(deletedPath(user)).expect(404);
    const events = await eventsOf(user);
    expect(events.slice(0, 2)).toEqual(before.map((event: object) => ({ ...event, data: null })));
    expect(events[2]).toMatchObject({
      type: 'user.purged',
      source: 'api',
      actor: { id: api.tokenId },
      requestId: 'purge-1',
      data: null,
    });
    expect(events).toHaveLength(3);
    expect((await api.get(`/api/v1/events/${events[0].id}`).expect(200)).body.data).toBeNull();
    expect((await listOf()).map(({ id }) => id)).toEqual([other.id]);
    for (const event of await eventsOf(other)) expect(event.data.user.name).toBe('Kept');
  });

  it('empties events that have no number yet', async () => {
    const user = await deletedUser();
    await service.app.get(DeletedUsersService, { strict: false }).purge(api.organizationId, user.id);
    const rows = await service.dataSource.query(
      'SELECT data FROM events WHERE organization_id = $1 AND target_id = $2',
      [api.organizationId, user.id],
    );
    expect(rows).toEqual([{ data: null }, { data: null }, { data: null }]);
  });

  it('takes nobody who is not deleted', async () => {
    const user = await api.createUser();
    await api.delete(deletedPath(user)).expect(404);
    expect((await api.get(pathOf(user)).expect(200)).body).toEqual(user);
    expect((await eventsOf(user))[0].data).toEqual({ user });
  });

  it('touches nothing of another organization, even of the same id', async () => {
    const fields = { name: 'Wilhelmina', email: 'same@example.com' };
    const stranger = await service.client();
    const tables = ['deleted_users', 'events', 'idempotency_keys'];
    const rowsOf = ({ organizationId }: Client) =>
      Promise.all(
        tables.map((table) =>
          service.dataSource.query(
            `SELECT t::text AS text FROM ${table} AS t WHERE organization_id = $1 ORDER BY text`,
            [organizationId],
          ),
        ),
      );
    const [user, other] = await Promise.all(
      [api, stranger].map(async (client) => {
        const { body } = await client.post('/api/v1/users', fields).set('Idempotency-Key', 'k').expect(201);
        await client.delete(pathOf(body)).expect(204);
        await eventsOf(body, client);
        return body as UserBody;
      }),
    );
    for (const [table, column] of [
      ['deleted_users', 'id'],
      ['events', 'target_id'],
      ['idempotency_keys', 'user_id'],
    ])
      await service.dataSource.query(
        `UPDATE ${table} SET ${column} = $3 WHERE organization_id = $1 AND ${column} = $2`,
        [stranger.organizationId, other.id, user.id],
      );
    const before = await rowsOf(stranger);
    expect(before.every((rows) => rows.length > 0)).toBe(true);

    await api.delete(deletedPath(user)).expect(204);

    expect(await rowsOf(stranger)).toEqual(before);
  });

  it('lets the same address be used with the same key again', async () => {
    const body = aUser({ email: 'key@example.com' });
    const create = () => api.post('/api/v1/users', body).set('Idempotency-Key', 'k').expect(201);
    const { body: user } = await create();
    await api.delete(pathOf(user)).expect(204);
    expect((await create()).body).toEqual(user); // the answer is still kept
    await api.delete(deletedPath(user)).expect(204);
    expect((await create()).body.id).not.toBe(user.id);
  });
});

describe('the retention of deleted users', () => {
  const purgeOld = () => runJob(service.app, 'purge deleted users');

  it('purges those whose time is over, and nobody else', async () => {
    const old = await deletedUser();
    const recent = await deletedUser();
    const restored = await deletedUser();
    await age(old, 30 * DAY_MS);
    await age(recent, 30 * DAY_MS - 60_000);
    await age(restored, 90 * DAY_MS);
    await api.post(restorePath(restored)).expect(200);
    const stranger = await service.client();
    const foreign = await deletedUser({}, stranger);

    await purgeOld();

    expect((await listOf()).map(({ id }) => id)).toEqual([recent.id]);
    expect(await listOf('', stranger)).toHaveLength(1);
    await api.get(pathOf(restored)).expect(200);
    const events = await eventsOf(old);
    expect(events.at(-1)).toMatchObject({
      type: 'user.purged',
      source: 'service',
      actor: { type: 'system', id: null, name: 'retention' },
      requestId: null,
      data: null,
    });
    expect(await typesOf(recent)).toEqual(['created', 'deleted']);
    expect((await eventsOf(foreign, stranger))[0].data).not.toBeNull();
  });

  it('purges them all, however many', async () => {
    await service.dataSource.query(
      `INSERT INTO deleted_users (organization_id, id, version, email_key, fields, deleted_at)
       SELECT $1, 'usr_' || lpad(n::text, 26, '0'), 1, n || '@example.com',
         json_build_object('version', 1, 'name', 'Ada', 'email', n || '@example.com', 'createdAt', now(), 'updatedAt', now()), '2020-01-01'
       FROM generate_series(1, 101) AS n`,
      [api.organizationId],
    );
    expect(await listOf('?limit=200')).toHaveLength(101);
    await purgeOld();
    expect(await listOf()).toEqual([]);
  });
});

describe('with DELETED_USERS_RETENTION_DAYS=0', () => {
  let strict: TestService;
  beforeAll(async () => (strict = await startService({ DELETED_USERS_RETENTION_DAYS: '0' })));
  afterAll(() => strict.close());

  it('a DELETE purges, and two events tell so', async () => {
    const client = await strict.client();
    const user = await client.createUser();
    await client.delete(pathOf(user)).expect(204);
    expect(await listOf('', client)).toEqual([]);
    const events = await eventsOf(user, client);
    expect(events).toMatchObject([
      { type: 'user.created', data: null },
      { type: 'user.deleted', data: null, actor: { id: client.tokenId } },
      { type: 'user.purged', data: null, actor: { id: client.tokenId } },
    ]);
  });
});
