import type { Response } from 'supertest';
import { aUser, type UserBody } from '../support/client';
import { DAY_MS, deletedPath, nextOf, pathOf, restorePath, useDeletedUsers } from '../support/deleted-users';

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

  it('stays what it is when its deletion was refused', async () => {
    const user = await api.createUser();
    await api.delete(pathOf(user)).set('If-Match', '"7"').expect(412);
    expect(await listOf()).toEqual([]);
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

  it('makes it found at once, typos included', async () => {
    const user = await deletedUser({ name: 'Wilhelmina Krogh', metadata: { pet: 'Axolotl' } });
    const restored = (await api.post(restorePath(user)).expect(200)).body;
    for (const q of ['krogh', 'helmina', 'wilhelmnia', 'axolotl', user.email, user.id])
      expect(await found(q)).toEqual([restored]);
  });

  it('is told by an event at once, as the API shows the user', async () => {
    const user = await deletedUser({ metadata: { plan: 'pro' } });
    const { body } = await api.post(restorePath(user)).set('X-Request-ID', 'restore-1').expect(200);
    const events = await eventsOf(user);
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'user.created',
      'user.deleted',
      'user.restored',
    ]);
    expect(events[2]).toMatchObject({
      sequence: events[1].sequence + 1,
      occurredAt: body.updatedAt,
      source: 'api',
      actor: { id: api.tokenId },
      requestId: 'restore-1',
    });
    expect(events[2].data).toEqual({ user: body });
    expect(JSON.stringify(events[2].data.user)).toBe(JSON.stringify(body));
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

  it('judges its body, which may be missing', async () => {
    const user = await deletedUser();
    const restore = () => api.post(restorePath(user));
    for (const [body, field, code] of [
      [{ email: 'nobody' }, 'email', 'invalid'],
      [{ email: null }, 'email', 'invalid'],
      [{ name: 'Ada' }, 'name', 'unknown'],
      [[], 'body', 'invalid'],
    ] as const) {
      const { body: problem } = await restore().send(body).expect(400);
      expect(problem.errors).toMatchObject([{ field, code }]);
    }
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

  it('of two at once does one', async () => {
    for (let round = 0; round < 5; round++) {
      const user = await deletedUser();
      const answers = await Promise.all([1, 2].map(() => api.post(restorePath(user))));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
      expect(await typesOf(user)).toEqual(['created', 'deleted', 'restored']);
    }
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

  it('can be done again and again', async () => {
    const user = await deletedUser();
    for (let version = 2; version < 5; version++) {
      expect((await api.post(restorePath(user)).expect(200)).body.version).toBe(version);
      await api.delete(pathOf(user)).expect(204);
    }
    expect((await api.get(deletedPath(user)).expect(200)).body).toMatchObject({ version: 4 });
  });
});
