import { randomUUID } from 'node:crypto';
import { runJob } from '../support/background';
import { aUser, type Client } from '../support/client';
import { describeOn } from '../support/engine';
import { useService } from '../support/service';

const service = useService({ RATE_LIMIT_PER_MINUTE: '100000' }, { limits: 'real' });
let api: Client;
beforeAll(async () => void (api = await service.client()));

const create = (key: string, body: object, client = api) =>
  client.post('/api/v1/users', body).set('Idempotency-Key', key);

const usersWith = async (email: string, client = api) =>
  (await client.get(`/api/v1/users?email=${encodeURIComponent(email)}`).expect(200)).body.data.length;

describe('Idempotency-Key', () => {
  it('lets a create be repeated: it is done once, and answered the same', async () => {
    const [key, user] = [randomUUID(), aUser({ metadata: { b: 1, a: [5e-324, { c: null }] } })];
    const first = await create(key, user).expect(201);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    for (const spelling of [key, `"${key}"`]) {
      const again = await create(spelling, user).set('X-Request-ID', 'again').expect(201);
      expect(again.text).toBe(first.text);
      expect(again.headers).toMatchObject({
        location: first.headers.location,
        etag: '"1"',
        'idempotent-replayed': 'true',
        'x-request-id': 'again',
      });
    }
    expect(await usersWith(user.email)).toBe(1);
    // Whatever has become of the user.
    await api.patch(first.headers.location, { role: 'admin' }).expect(200);
    await api.delete(first.headers.location).expect(204);
    expect((await create(key, user).expect(201)).text).toBe(first.text);
    expect(await usersWith(user.email)).toBe(0);
  });

  it('is refused for another body, and means nothing in another organization', async () => {
    const [key, user] = [randomUUID(), aUser()];
    await create(key, user).expect(201);
    const { body } = await create(key, { ...user, role: 'admin' }).expect(422);
    expect(body.code).toBe('idempotency_mismatch');
    await create(key, aUser()).expect(422);
    const other = await service.client();
    const { headers } = await create(key, user, other).expect(201);
    expect(headers['idempotent-replayed']).toBeUndefined();
  });

  it('keeps nothing of a refusal', async () => {
    const [key, taken] = [randomUUID(), await api.createUser()];
    await create(key, { name: '' }).expect(400);
    await create(key, aUser({ email: taken.email })).expect(409);
    const user = aUser();
    const { headers } = await create(key, user).expect(201);
    expect(headers['idempotent-replayed']).toBeUndefined();
  });

  it('is asked for the scope again', async () => {
    const [key, user] = [randomUUID(), aUser()];
    await create(key, user).expect(201);
    const { organizationId } = api;
    const reader = await service.client({ organizationId, scopes: ['users:read'] });
    await create(key, user, reader).expect(403);
    const writer = await service.client({ organizationId, scopes: ['users:write'] });
    const { headers } = await create(key, user, writer).expect(201);
    expect(headers['idempotent-replayed']).toBe('true');
  });

  it('has up to 255 visible characters, in quotation marks or without', async () => {
    for (const key of ['', ' ', 'a b', '""', 'ü', 'x'.repeat(256), `"${'x'.repeat(256)}"`]) {
      const { body } = await create(Buffer.from(key, 'utf8').toString('latin1'), aUser()).expect(400);
      expect({ key, errors: body.errors }).toMatchObject({ key, errors: [{ field: 'Idempotency-Key' }] });
    }
    for (const key of ['!', '~', '"', '\\', 'a"b', 'x'.repeat(255), `"${'x'.repeat(255)}"`]) {
      const [client, user] = [await service.client(), aUser()];
      const { text } = await create(key, user, client).expect(201);
      expect([key, (await create(key, user, client).expect(201)).text]).toEqual([key, text]);
    }
  });

  it('is refused where a secret is shown, and means nothing elsewhere', async () => {
    const token = { name: 'Test', scopes: ['users:read'] };
    const { body } = await api.post('/v1/tokens', token).set('Idempotency-Key', 'k').expect(400);
    expect(body.errors).toMatchObject([{ field: 'Idempotency-Key' }]);
    const user = await api.createUser();
    for (const role of ['admin', 'viewer']) {
      const path = `/api/v1/users/${user.id}`;
      const response = await api.patch(path, { role }).set('Idempotency-Key', 'k').expect(200);
      expect(response.body.role).toBe(role);
    }
  });

  it('creates one user from 1,000 requests at once', async () => {
    const [key, user] = [randomUUID(), aUser()];
    const responses = await Promise.all(Array.from({ length: 1_000 }, () => create(key, user)));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses[0].status).toBe(201);
    expect(responses.filter(({ headers }) => !headers['idempotent-replayed'])).toHaveLength(1);
    expect(await usersWith(user.email)).toBe(1);
  });

  it('is forgotten after 24 hours', async () => {
    const client = await service.client();
    const age = (hours: number) =>
      service.dataSource.query(
        `UPDATE idempotency_keys SET created_at = now() - $1 * interval '1 hour' WHERE organization_id = $2`,
        [hours, client.organizationId],
      );
    const keys = 'SELECT key FROM idempotency_keys WHERE organization_id = $1';
    const kept = async () => (await service.dataSource.query(keys, [client.organizationId])).length;
    await create('k', aUser(), client).expect(201);
    await age(23.99);
    await runJob(service.app, 'remove old idempotency keys');
    expect(await kept()).toBe(1);
    await create('k', aUser(), client).expect(422);
    await age(24.01);
    await create('k', aUser(), client).expect(201); // also before the sweep
    await age(24.01);
    await runJob(service.app, 'remove old idempotency keys');
    expect(await kept()).toBe(0);
  });
});

describeOn('postgres', 'a request with an Idempotency-Key that waits', () => {
  /** Runs a statement in a transaction that stays open during the task. */
  async function during(sql: string, values: unknown[], task: () => Promise<void>) {
    const other = service.dataSource.createQueryRunner();
    await other.startTransaction();
    await other.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
    try {
      await other.query(sql, [api.organizationId, ...values]);
      await task();
    } finally {
      await other.rollbackTransaction();
      await other.release();
    }
  }

  it('waits for the same request, and then says that it is in progress', async () => {
    const claim = `INSERT INTO idempotency_keys (organization_id, path, key, request_hash) VALUES ($1, $2, $3, '')`;
    for (const [path, body, status] of [
      ['/api/v1/users', aUser(), 201],
      ['/api/v1/users/batch', { users: [aUser()] }, 200],
    ] as const) {
      const key = randomUUID();
      const send = () => api.post(path, body).set('Idempotency-Key', key);
      await during(claim, [path, key], async () => {
        const { body, headers } = await send().expect(409);
        expect([body.code, headers['retry-after']]).toEqual(['idempotency_in_progress', '1']);
      });
      await send().expect(status);
    }
  });

  it('is not in progress while it waits for a user that another transaction writes', async () => {
    const [created, { id, email }] = [aUser(), await api.createUser()];
    const update = 'UPDATE users SET email = $3, email_key = $3 WHERE organization_id = $1 AND id = $2';
    const lock = 'SELECT FROM users WHERE organization_id = $1 AND id = $2 FOR UPDATE';
    const batch = { users: [{ email, role: 'viewer' }], mode: 'upsert' };
    for (const [sql, values, path, body, status] of [
      [update, [id, created.email], '/api/v1/users', created, 201],
      [lock, [id], '/api/v1/users/batch', batch, 200],
    ] as const) {
      const key = randomUUID();
      const send = () => api.post(path, body).set('Idempotency-Key', key);
      await during(sql, [...values], async () => {
        expect((await send().expect(503)).body.code).toBe('unavailable');
      });
      await send().expect(status);
    }
  });
});
