import { ConnectionShares } from '../../src/platform/database/connections/connection-shares';
import { newId } from '../../src/platform/database/id';
import { Database } from '../../src/platform/database/database';
import { MemoryStorage } from '../../src/platform/rate-limit/memory.storage';
import { PostgresStorage } from '../../src/platform/rate-limit/postgres.storage';
import { WINDOW_MS, windowKey } from '../../src/platform/rate-limit/window';
import { systemCaller } from '../../src/platform/http/caller';
import type { Source } from '../../src/platform/http/wire-format';
import { TokensService } from '../../src/tokens/tokens.service';
import type { Client } from '../support/client';
import { describeOn } from '../support/engine';
import { startService, useService } from '../support/service';

const service = useService({ RATE_LIMIT_PER_MINUTE: '1000' });

const HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** Sends `count` requests at once, and returns the responses. None is repeated, because a repetition counts. */
const flood = (count: number, send: (i: number) => ReturnType<Client['get']>) =>
  Promise.all(Array.from({ length: count }, async (_, i) => await send(i).retry(0)));

it('admits exactly 1000 requests of a token in its window, across all routes', async () => {
  const api = await service.client();
  const routes = [
    '/api/v1/users',
    '/v1/tokens/current',
    '/api/v1/tokens',
    '/api/v1/users/nobody',
    '/api/v1/users?limit=0',
  ];

  const answers = await flood(1200, (i) => api.get(routes[i % routes.length]));

  const admitted = answers.filter(({ status }) => status !== 429);
  expect(admitted).toHaveLength(1000);
  expect(
    admitted.map(({ headers }) => Number(headers['x-ratelimit-remaining'])).sort((a, b) => b - a),
  ).toEqual(Array.from({ length: 1000 }, (_, i) => 999 - i));
  expect(new Set(answers.map(({ headers }) => headers['x-ratelimit-reset'])).size).toBe(1);
});

it('tells a rejected caller when to retry, and does not count the rejected request', async () => {
  const limited = await startService({ RATE_LIMIT_PER_MINUTE: '3' });
  try {
    const api = await limited.client({ scopes: ['users:read'] });
    /** The clock by which the windows begin and end. */
    const now = async (): Promise<number> =>
      (await limited.dataSource.query('SELECT extract(epoch FROM clock_timestamp())::float8 AS now'))[0].now;
    const before = await now();
    await flood(3, () => api.get('/api/v1/users').expect(200));
    const begun = await now();

    const { headers, body } = await api.get('/api/v1/users').expect(429);
    const after = await now();

    expect(body).toMatchObject({ status: 429, code: 'rate_limited', title: 'Too Many Requests' });
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '0' });
    const reset = Number(headers['x-ratelimit-reset']);
    const retryAfter = Number(headers['retry-after']);
    expect(reset).toBeGreaterThanOrEqual(Math.floor(before) + 60);
    expect(reset).toBeLessThanOrEqual(Math.ceil(begun) + 60);
    expect(reset - retryAfter).toBeGreaterThan(begun - 1);
    expect(reset - retryAfter).toBeLessThan(after + 1);
    // 429 precedes 403, and rejected requests do not extend the window.
    const again = await api.delete('/api/v1/users/nobody').expect(429);
    expect(again.headers['x-ratelimit-reset']).toBe(headers['x-ratelimit-reset']);
    // Nor is a body read.
    await api.post('/api/v1/users').set('Content-Type', 'text/plain').send('{').expect(429);
    // Another token of the same organization has its own window.
    const other = await limited.client({ organizationId: api.organizationId });
    expect((await other.get('/api/v1/users').expect(200)).headers['x-ratelimit-remaining']).toBe('2');
  } finally {
    await limited.close();
  }
});

describe('a token with a limit of its own', () => {
  it('gets exactly that many requests, and keeps the limit when it is rotated', async () => {
    const api = await service.client();
    const { body } = await api
      .post('/v1/tokens', { name: 'Slow', scopes: ['users:read'], rateLimit: 30 })
      .expect(201);
    expect(body.rateLimit).toBe(30);
    const rotated = (await api.post(`/v1/tokens/${body.id}/rotate`).expect(201)).body;
    expect(rotated.rateLimit).toBe(30);
    for (const { token } of [body, rotated]) {
      const limited = api.withValue(token);
      const answers = await flood(50, () => limited.get('/api/v1/users'));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
      expect(new Set(answers.map(({ headers }) => headers['x-ratelimit-limit']))).toEqual(new Set(['30']));
      const { body: refused } = await limited.get('/api/v1/users').expect(429);
      expect(refused.detail).toMatch(/30 requests per 60 s/);
    }
    expect((await api.get('/api/v1/users').expect(200)).headers['x-ratelimit-limit']).toBe('1000');
  });

  it('gets more than the service allows only from the operator', async () => {
    const limited = await startService({ RATE_LIMIT_PER_MINUTE: '20' });
    try {
      const api = await limited.client();
      const tokens = limited.app.get(TokensService);
      const wanted = { name: 'Busy', scopes: ['admin' as const], rateLimit: 40 };
      const { body } = await api.post('/v1/tokens', wanted).expect(400);
      expect(body.errors).toEqual([
        { field: 'rateLimit', code: 'out_of_range', message: 'must be at most 20' },
      ]);
      await api.post('/v1/tokens', { ...wanted, rateLimit: 20 }).expect(201);
      // Whatever acts for the organization.
      const actor = { type: 'token' as const, id: api.tokenId, name: 'Test' };
      const system = (source: Source) => systemCaller(api.organizationId!, source, 'test');
      for (const by of [{ ...system('api'), actor }, system('scim'), system('sign-in'), system('service')])
        await expect(tokens.create(by, wanted)).rejects.toMatchObject({ status: 400 });

      const { token, value } = await tokens.create(api.organizationId!, wanted);
      expect(token.rateLimit).toBe(40);
      const answers = await flood(60, () => api.withValue(value).get('/api/v1/users'));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
      await expect(
        tokens.create(api.organizationId!, { ...wanted, rateLimit: 100_001 }),
      ).rejects.toMatchObject({ status: 400 });

      // A rotation keeps what the operator has given, and cannot ask for more.
      for (const request of [{ rateLimit: 50 }, { limit: 50 }, { createdBy: {} }])
        await api.post(`/v1/tokens/${token.id}/rotate`, request).expect(400);
      const rotated = (await api.post(`/v1/tokens/${token.id}/rotate`, { overlap: '0h' }).expect(201)).body;
      expect(rotated.rateLimit).toBe(40);
      // Nor can the new token, though it has more than others, give more than others have.
      await api.withValue(rotated.token).post('/v1/tokens', wanted).expect(400);
    } finally {
      await limited.close();
    }
  });
});

it('opens a new window when the old one has ended', async () => {
  const limited = await startService({ RATE_LIMIT_PER_MINUTE: '2' });
  const realNow = Date.now;
  const realPerformanceNow = performance.now.bind(performance);
  try {
    const api = await limited.client();
    await flood(3, () => api.get('/api/v1/users'));
    await api.get('/api/v1/users').expect(429);

    // A minute passes: the windows in memory use the clock, and those in PostgreSQL get an earlier start.
    await limited.dataSource.query(`UPDATE rate_limit_windows SET started_ms = started_ms - 60000`);
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() + 60_000);
    jest.spyOn(performance, 'now').mockImplementation(() => realPerformanceNow() + 60_000);

    expect((await api.get('/api/v1/users').expect(200)).headers['x-ratelimit-remaining']).toBe('1');
  } finally {
    jest.restoreAllMocks();
    await limited.close();
  }
});

describeOn('postgres', 'the clock of the database', () => {
  it('that was ahead by an hour and is set back opens a new window', async () => {
    const limited = await startService({ RATE_LIMIT_PER_MINUTE: '2' });
    try {
      const api = await limited.client();
      await api.get('/api/v1/users').expect(200);
      await limited.dataSource.query(
        `UPDATE rate_limit_windows SET started_ms = started_ms + 3600000, hits = 2`,
      );
      const { headers } = await api.get('/api/v1/users').expect(200);
      expect(headers['x-ratelimit-remaining']).toBe('1');
      expect(Number(headers['x-ratelimit-reset']) - Date.now() / 1000).toBeLessThanOrEqual(61);
    } finally {
      await limited.close();
    }
  });
});

it('sends the three headers in every response to an authenticated request, and counts it and no other', async () => {
  const api = await service.client();
  const reader = await service.client({ organizationId: api.organizationId, scopes: ['users:read'] });
  const user = await api.createUser();
  const requests = [
    reader.get('/api/v1/users').expect(200),
    reader.get('/api/v1/users?limit=x').expect(400),
    reader.post('/api/v1/users', {}).expect(403),
    reader.get('/api/v1/users/nobody').expect(404),
    api.post('/api/v1/users', { name: 'Ada', email: user.email }).expect(409),
    api.post('/api/v1/users').set('Content-Type', 'text/plain').send('x').expect(415),
    api.post('/api/v1/users').set('Content-Type', 'application/json').send('{').expect(400),
    api
      .post('/api/v1/users')
      .set('Content-Type', 'application/json')
      .send(`"${'x'.repeat(70_000)}"`)
      .expect(413),
    api.patch(`/api/v1/users/${user.id}`, {}).expect(200),
    api.delete(`/api/v1/users/${user.id}`).expect(204),
  ];
  for (const request of requests) {
    const { headers } = await request; // sent only when awaited, so the PATCH precedes the DELETE
    for (const name of HEADERS) expect(headers[name]).toMatch(/^\d+$/);
  }
  // One token sent 1 + 6 requests, the other 4.
  expect((await api.get('/v1/tokens/current').expect(200)).headers['x-ratelimit-remaining']).toBe('992');
  expect((await reader.get('/v1/tokens/current').expect(200)).headers['x-ratelimit-remaining']).toBe('995');

  for (const answer of [
    await api.get('/api/v1/nothing').expect(404),
    await api.put('/api/v1/users', {}).expect(405),
    await service.anonymous().get('/api/v1/users').expect(401),
    await api.get('/livez').expect(200),
  ])
    for (const name of HEADERS) expect(answer.headers[name]).toBeUndefined();
  expect((await api.get('/v1/tokens/current').expect(200)).headers['x-ratelimit-remaining']).toBe('991');
});

it('hits that a request adds count between those before and after it, and may exceed the limit', async () => {
  const LIMIT = 10;
  for (const storageOf of [
    () => new PostgresStorage(service.app.get(Database), false),
    () => new MemoryStorage(),
  ]) {
    const [storage, replica] = [storageOf(), storageOf()];
    const key = windowKey('org', newId('tok'));
    const hit = () => storage.increment(key, WINDOW_MS, LIMIT);
    const windows = await Promise.all([hit(), hit(), storage.add(key, 6, LIMIT), hit(), hit(), hit()]);
    expect(windows.map(({ totalHits }) => totalHits)).toEqual([1, 2, 8, 9, 10, 11]);
    expect(windows.map(({ isBlocked }) => isBlocked)).toEqual([false, false, false, false, false, true]);

    const other = windowKey('org', newId('tok'));
    await storage.increment(other, WINDOW_MS, LIMIT);
    expect(await storage.add(other, 100, LIMIT)).toMatchObject({ totalHits: 101 });
    for (const at of storage instanceof PostgresStorage ? [storage, replica] : [storage])
      expect(await at.increment(other, WINDOW_MS, LIMIT)).toMatchObject({ isBlocked: true });
  }
});

describeOn('postgres', 'organizations that are counted apart, as on a cluster', () => {
  it('do not wait for each other, not even in all connections', async () => {
    const connections = 10;
    const storage = new PostgresStorage(
      new Database(service.dataSource, new ConnectionShares(connections)),
      true,
    );
    const count = async (organization: string) =>
      (await storage.increment(windowKey(organization, `tok_${organization}`), WINDOW_MS, 1000)).totalHits;
    await count('held');
    const runner = service.dataSource.createQueryRunner();
    try {
      await runner.startTransaction();
      await runner.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
      await runner.query(
        `SELECT FROM rate_limit_windows WHERE organization_id = 'held' AND token_id = 'tok_held' FOR UPDATE`,
      );
      const waiting: Promise<number>[] = [];
      for (let hits = 1; hits <= 2 * connections; hits++) {
        waiting.push(count('held'));
        expect(await count('free')).toBe(hits);
      }
      await runner.rollbackTransaction();
      expect(Math.max(...(await Promise.all(waiting)))).toBe(2 * connections + 1);
    } finally {
      await runner.release();
    }
  });
});
