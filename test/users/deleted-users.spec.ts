import type { Response } from 'supertest';
import { DeletedUsersService } from '../../src/users/deleted/deleted-users.service';
import { runJob } from '../support/background';
import { aUser, type UserBody } from '../support/client';
import { DAY_MS, deletedPath, nextOf, pathOf, restorePath, useDeletedUsers } from '../support/deleted-users';
import { startService, type TestService } from '../support/service';

const { service, api, deletedUser, listOf, found, eventsOf, typesOf } = useDeletedUsers();

describe('a deleted user', () => {
  it('is kept as it was last, until 30 days later', async () => {
    const user = await deletedUser({ role: 'viewer', metadata: { z: 1, a: [5e-324, { b: null }] } });

    const { body, headers } = await api.get(deletedPath(user)).expect(200);

    expect(body).toEqual({ ...user, deletedAt: expect.any(String), purgeAt: expect.any(String) });
    expect(JSON.stringify(body.metadata)).toBe(JSON.stringify(user.metadata));
    expect(Date.parse(body.purgeAt) - Date.parse(body.deletedAt)).toBe(30 * DAY_MS);
    expect(body.deletedAt >= user.updatedAt).toBe(true);
    expect(headers.etag).toBeUndefined();
    expect(await listOf()).toEqual([body]);
  });

  it('is in no list, search, filter or statement of users', async () => {
    const user = await deletedUser({ name: 'Wilhelmina Vanished', email: 'vanished@example.com' });
    for (const query of ['', '?sort=name', '?role=member', '?email=vanished@example.com'])
      expect((await api.get(`/api/v1/users${query}`).expect(200)).body.data).toEqual([]);
    for (const q of ['wilhelmina', 'wilhelmnia', 'vanished@example.com', user.id, user.id.slice(0, 14)])
      expect(await found(q)).toEqual([]);
    await api.get(pathOf(user)).expect(404);
    await api.patch(pathOf(user), { name: 'Ada' }).expect(404);
    await api.delete(pathOf(user)).expect(404);
  });

  it('leaves its email free, in any case, as soon as the 204 is there', async () => {
    const user = await deletedUser({ email: 'free@example.com' });
    const other = await api.createUser({ email: 'FREE@example.com' });
    await api.delete(pathOf(other)).expect(204);
    expect((await listOf('?email=Free@Example.com')).map(({ id }) => id)).toEqual([other.id, user.id]);
  });

  it('has no ETag, so If-Match is refused on every route', async () => {
    const user = await deletedUser();
    for (const call of [
      api.get('/api/v1/deleted-users'),
      api.get(deletedPath(user)),
      api.post(restorePath(user)),
      api.delete(deletedPath(user)),
    ]) {
      const { body } = await call.set('If-Match', '"1"').expect(400);
      expect(body.errors).toMatchObject([{ field: 'If-Match', code: 'invalid' }]);
    }
    await api.get(deletedPath(user)).expect(200);
  });

  it('is listed page by page, the latest first', async () => {
    const users: UserBody[] = [];
    for (let i = 0; i < 5; i++) users.push(await deletedUser({ email: `page-${i}@example.com` }));
    // Of the same moment: the ids decide.
    await service.dataSource.query(
      `UPDATE deleted_users SET deleted_at = '2026-01-01' WHERE organization_id = $1 AND id = ANY ($2)`,
      [api.organizationId, users.slice(0, 3).map(({ id }) => id)],
    );
    const seen: string[] = [];
    for (let path = '/api/v1/deleted-users?limit=2'; path;) {
      const { body, headers }: Response = await api.get(path).expect(200);
      seen.push(...body.data.map(({ id }: UserBody) => id));
      expect(headers.link === undefined).toBe(body.nextCursor === null);
      path = nextOf(headers);
    }
    const ids = users.map(({ id }) => id);
    expect(seen).toEqual([ids[4], ids[3], ...ids.slice(0, 3).sort().reverse()]);
    const { body } = await api.get('/api/v1/deleted-users?limit=1').expect(200);
    const elsewhere = await api
      .get(`/api/v1/deleted-users?email=a@example.com&cursor=${body.nextCursor}`)
      .expect(400);
    expect(elsewhere.body.errors).toMatchObject([{ field: 'cursor', code: 'invalid' }]);
    const unknown = await api.get('/api/v1/deleted-users?role=member&email=nobody').expect(400);
    expect(unknown.body.errors).toMatchObject([
      { field: 'role', code: 'unknown' },
      { field: 'email', code: 'invalid' },
    ]);
  });
});

describe('POST /api/v1/deleted-users/{id}/restore', () => {
  it('brings everything back, with a version that is one more', async () => {
    const user = await api.createUser({
      name: 'Wilhelmina Krog',
      role: 'admin',
      active: false,
      metadata: { pet: 'Axolotl' },
    });
    await api.patch(pathOf(user), { name: 'Wilhelmina Back' }).expect(200);
    const before = (await api.get(pathOf(user)).expect(200)).body;
    await api.delete(pathOf(user)).expect(204);

    const { body, headers } = await api.post(restorePath(user)).expect(200);

    expect(body).toEqual({ ...before, version: 3, updatedAt: expect.any(String) });
    expect(body.updatedAt >= before.updatedAt).toBe(true);
    expect(headers.etag).toBe('"3"');
    expect((await api.get(pathOf(user)).expect(200)).body).toEqual(body);
    expect((await api.get('/api/v1/users').expect(200)).body.data).toEqual([body]);
    for (const q of ['back', 'helmina', 'wilhelmnia', 'axolotl', body.email, user.id])
      expect([q, await found(q)]).toEqual([q, [body]]);
    expect(await listOf()).toEqual([]);
    await api.patch(pathOf(user), { role: 'viewer' }).set('If-Match', '"3"').expect(200);
  });

  it('makes a user active whom a release without that field deleted', async () => {
    const user = await deletedUser({ active: false });
    await service.dataSource.query(
      `UPDATE deleted_users SET fields = (fields::jsonb - 'active')::json WHERE organization_id = $1`,
      [api.organizationId],
    );
    expect((await api.get(deletedPath(user)).expect(200)).body.active).toBe(true);
    expect((await api.post(restorePath(user)).expect(200)).body.active).toBe(true);
  });

  it('is told by an event at once, as the API shows the user', async () => {
    const user = await deletedUser({ metadata: { plan: 'pro' } });
    const { body } = await api.post(restorePath(user)).set('X-Request-ID', 'restore-1').expect(200);
    const events = await eventsOf(user);
    expect(events).toHaveLength(3);
    expect(events[2]).toMatchObject({
      type: 'user.restored',
      sequence: events[1].sequence + 1,
      occurredAt: body.updatedAt,
      source: 'api',
      actor: { id: api.tokenId },
      requestId: 'restore-1',
    });
    expect(JSON.stringify(events[2].data)).toBe(JSON.stringify({ user: body }));
  });

  it('is a 409 that changes nothing while the email is taken, and takes another email', async () => {
    const user = await deletedUser({ email: 'wanted@example.com' });
    const other = await api.createUser({ email: 'Wanted@example.com' });
    const { body } = await api.post(restorePath(user)).expect(409);
    expect(body).toMatchObject({ code: 'conflict', errors: [{ field: 'email', code: 'taken' }] });
    expect(await listOf()).toHaveLength(1);
    await api.post(restorePath(user), { email: other.email }).expect(409);

    const restored = await api.post(restorePath(user), { email: ' Second@example.com ' }).expect(200);

    expect(restored.body).toEqual({
      ...user,
      email: 'Second@example.com',
      version: 2,
      updatedAt: expect.any(String),
    });
    expect(await found('second@example.com')).toEqual([restored.body]);
    await api.post('/api/v1/users', aUser({ email: 'second@EXAMPLE.com' })).expect(409);
  });

  it('takes no body, or one of JSON', async () => {
    const user = await deletedUser();
    const restore = () => api.post(restorePath(user));
    await restore().set('Content-Type', 'text/plain').send('{}').expect(415);
    await restore().set('Content-Type', 'application/json').expect(400);
    await restore().set('Content-Type', 'application/json').send('{}').expect(200);
  });

  it('is a 404 for whoever is not deleted, or not any more', async () => {
    const user = await deletedUser();
    await api.post(restorePath(user)).expect(200);
    await api.post(restorePath(user)).expect(404);
    await api.post(restorePath(await api.createUser())).expect(404);
    await api.post(restorePath({ id: 'nobody' })).expect(404);
  });

  it('never moves updatedAt back', async () => {
    const user = await api.createUser();
    const later = '2999-01-01T00:00:00.000Z';
    await service.dataSource.query('UPDATE users SET updated_at = $2 WHERE organization_id = $1', [
      api.organizationId,
      later,
    ]);
    await api.delete(pathOf(user)).expect(204);
    const { body } = await api.post(restorePath(user)).expect(200);
    expect(body.updatedAt).toBe(later);
    expect((await eventsOf(user)).at(-1).data).toEqual({ user: body });
  });
});

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
