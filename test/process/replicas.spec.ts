/**
 * @slow it starts processes
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { newTokenValue } from '../../src/tokens/token-value';
import { Client } from '../support/client';
import { databaseToMigrate, emptyDatabase, type TestDatabase, withoutDatabase } from '../support/database';
import { describeOn } from '../support/engine';
import { patiently } from '../support/patiently';
import { run, type Running, start, stop, ums } from '../support/process';
import { startService } from '../support/service';
import { until } from '../support/until';

describeOn('postgres', 'several replicas on one PostgreSQL', () => {
  let database: TestDatabase;
  let replicas: Running[];
  let token: string;
  /** A client of one replica, by default with the bootstrap token. */
  const replica = (i: number, value = token) => new Client(replicas[i % replicas.length].url, { value });
  const newToken = async (...scopes: string[]): Promise<{ id: string; token: string }> =>
    (await replica(0).post('/v1/tokens', { name: 'CI', scopes }).expect(201)).body;

  /**
   * Sends `count` lists with a token, 50 at once. Its window stays open, however long they take: it starts with the
   * last hit.
   */
  async function listsWith(id: string, value: string, count: number): Promise<Response[]> {
    const answers: Response[] = [];
    const server = new pg.Client(database.env.DATABASE_URL);
    await server.connect();
    for (let i = 0; i < count; i += 50) {
      const batch = Array.from({ length: 50 }, (_, j) =>
        fetch(`${replicas[(i + j) % 4].url}/api/v1/users`, { headers: { Authorization: `Bearer ${value}` } }),
      );
      answers.push(...(await Promise.all(batch)));
      await server.query('UPDATE rate_limit_windows SET started_ms = counted_ms WHERE token_id = $1', [id]);
    }
    await server.end();
    return answers;
  }

  beforeAll(async () => {
    database = await databaseToMigrate();
    token = (await run(['tokens', 'generate'], {})).stdout.trim();
    // They start at once, on an empty database.
    replicas = await Promise.all([1, 2, 3, 4].map(() => start({ ...database.env, BOOTSTRAP_TOKEN: token })));
  });
  afterAll(async () => {
    expect(await Promise.all(replicas.map(stop))).toEqual([0, 0, 0, 0]);
    await database.drop();
  });

  it('start together: one migrates and bootstraps, and all become ready', async () => {
    for (const { url } of replicas) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(JSON.parse((await run(['organizations', 'list', '--json'], database.env)).stdout)).toHaveLength(1);
  });

  it('read the writes of each other', async () => {
    const user = await replica(0).createUser();
    await replica(1).get(`/api/v1/users/${user.id}`).expect(200, user);
  });

  it('share the limit of 1000 requests of a token, and count each request once', async () => {
    const { id, token: value } = await newToken('users:read');
    const answers = await listsWith(id, value, 1400);
    const admitted = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(400);
    const remaining = admitted.map(({ headers }) => Number(headers.get('X-RateLimit-Remaining')));
    expect(remaining.sort((a, b) => b - a)).toEqual(Array.from({ length: 1000 }, (_, i) => 999 - i));
  });

  it.each([300, 1200])('share the limit of %i that the operator has given a token', async (limit) => {
    const [{ id }] = JSON.parse((await run(['organizations', 'list', '--json'], database.env)).stdout);
    const create = ['--name', 'Own', '--scopes', 'users:read', '--rate-limit', String(limit), '--json'];
    const created = await run(['tokens', 'create', '--organization', id, ...create], database.env);
    const { id: tokenId, token: value, rateLimit } = JSON.parse(created.stdout);
    expect(rateLimit).toBe(limit);
    const answers = await listsWith(tokenId, value, limit + 100);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(limit);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(100);
  });

  it('all reject a revoked token immediately', async () => {
    for (let round = 0; round < 20; round++) {
      const created = await newToken('users:read');
      const use = (i: number) => replica(i, created.token).get('/v1/tokens/current');
      await use(0).expect(200);
      await replica(round).delete(`/v1/tokens/${created.id}`).expect(204);
      expect((await Promise.all([0, 1, 2, 3].map(use))).map(({ status }) => status)).toEqual([
        401, 401, 401, 401,
      ]);
    }
  });

  it('create one user from a thousand requests with one address in mixed case', async () => {
    const spell = (i: number) =>
      [...'grace@example.com'].map((c, j) => ((i >> (j % 10)) & 1 ? c.toUpperCase() : c)).join('');
    // Each request may have to be repeated, and that counts against the limit of its token.
    const tokens = await Promise.all(Array.from({ length: 100 }, () => newToken('users:write')));
    const create = (i: number) =>
      fetch(`${replicas[i % 4].url}/api/v1/users`, {
        method: 'POST',
        body: JSON.stringify({ name: `Grace ${i}`, email: spell(i) }),
        headers: {
          Authorization: `Bearer ${tokens[i % tokens.length].token}`,
          'Content-Type': 'application/json',
        },
      });
    const answers = await Promise.all(Array.from({ length: 1000 }, (_, i) => patiently(() => create(i))));
    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(999);
    const user = (await created[0].json()) as { id: string };
    const { body: users } = await replica(0).get('/api/v1/users?email=grace@example.com').expect(200);
    expect(users.data).toEqual([user]);
    const { body: events } = await replica(1).get('/api/v1/events?type=user.created&order=desc').expect(200);
    const isOfGrace = ({ data }: { data: { user: { email: string } } }) =>
      /^grace@example\.com$/i.test(data.user.email);
    expect(events.data.filter(isOfGrace)).toMatchObject([{ target: { id: user.id } }]);
  });
});

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

describeOn('postgres', 'one process on PostgreSQL', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeEach(async () => {
    database = await emptyDatabase();
    client = new pg.Client(database.env.DATABASE_URL);
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  it('prints how to create a token, but no token', async () => {
    const service = await start(database.env);
    expect(service.stdout()).toContain('ums tokens create');
    expect(service.stdout()).toContain('BOOTSTRAP_TOKEN');
    expect(service.stdout()).not.toMatch(/umt_/);
    await stop(service);
  });

  it('says what to run if it may not create an extension', async () => {
    const role = `limited_${process.pid}`;
    await client.query(`CREATE ROLE ${role} LOGIN`);
    await client.query(`GRANT ALL ON SCHEMA public TO ${role}`);
    try {
      const url = new URL(database.env.DATABASE_URL!);
      url.username = role;
      const { code, stderr } = await run(['start'], { DATABASE_URL: url.href });
      expect(code).toBe(1);
      expect(stderr).toContain('As a superuser run in the database');
      expect(stderr).toContain('CREATE EXTENSION pg_trgm SCHEMA public;');
    } finally {
      await client.query(`DROP OWNED BY ${role}`);
      await client.query(`DROP ROLE ${role}`);
    }
  });

  it('starts on an outdated schema without migrating it, but is not ready', async () => {
    const service = await start({ ...database.env, MIGRATE_ON_START: 'false' });
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
    expect((await run(['migrate'], database.env)).code).toBe(0);
    await until(async () => (await fetch(`${service.url}/readyz`)).ok, 100);
    await stop(service);
  });

  it('is ready only when BOOTSTRAP_TOKEN is valid', async () => {
    await run(['migrate'], database.env);
    const lock = `hashtextextended('ums:bootstrap:' || current_schema(), 0)`;
    await client.query('BEGIN');
    await client.query(`SELECT pg_advisory_xact_lock(${lock})`); // the start waits for it before it makes the token
    const PORT = await freePort();
    const BOOTSTRAP_TOKEN = newTokenValue();
    const service = ums(['start'], { ...database.env, BOOTSTRAP_TOKEN, PORT, HOST: '127.0.0.1' });
    const url = `http://127.0.0.1:${PORT}`;
    const readiness = () => fetch(`${url}/readyz`).catch(() => undefined);

    const answer = await until(readiness);
    expect([answer.status, await answer.json()]).toMatchObject([503, { detail: 'The service is starting.' }]);
    await client.query('COMMIT');
    await until(async () => (await readiness())?.ok);
    await new Client(url, { value: BOOTSTRAP_TOKEN }).get('/v1/tokens/current').expect(200);
    service.process.kill('SIGINT');
    expect(await service.exit).toBe(0);
  });

  it('finishes its requests after SIGTERM, and then exits with 0', async () => {
    const BOOTSTRAP_TOKEN = (await run(['tokens', 'generate'], {})).stdout.trim();
    const service = await start({ ...database.env, BOOTSTRAP_TOKEN });
    const api = new Client(service.url, { value: BOOTSTRAP_TOKEN });
    const { id } = await api.createUser();
    await client.query('BEGIN');
    await client.query('SELECT * FROM users FOR UPDATE');

    const slow = api.patch(`/api/v1/users/${id}`, { name: 'Grace' }).then(({ status }) => status);
    // It waits for a lock for two seconds at most, so the rest is done as soon as possible.
    const waiting =
      'SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))';
    await until(async () => (await client.query(waiting)).rowCount, 10);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200); // remembered for a second, but not in a drain
    service.process.kill('SIGTERM');
    await until(() => service.stdout().includes('shutting down'), 10);
    const ready = await fetch(`${service.url}/readyz`);
    expect({ status: ready.status, connection: ready.headers.get('connection') }).toEqual({
      status: 503,
      connection: 'close',
    });
    await api.get(`/api/v1/users/${id}`).expect(200);
    await client.query('COMMIT');

    expect(await slow).toBe(200);
    expect(await service.exit).toBe(0);
  });
});

describeOn('postgres', 'an unavailable database', () => {
  it('causes a 503 with Retry-After until it is available again', async () => {
    const service = await startService();
    try {
      const api = await service.client();
      await withoutDatabase(service.dataSource, async () => {
        for (const answer of [
          await api.get('/api/v1/users'),
          await api.post('/api/v1/users', {}),
          await api.get('/readyz'),
        ]) {
          expect(answer.status).toBe(503);
          expect(answer.body.code).toBe('unavailable');
          expect(answer.headers['retry-after']).toMatch(/^\d+$/);
        }
        await api.get('/livez').expect(200);
      });
      await api.get('/api/v1/users').expect(200);
    } finally {
      await service.close();
    }
  });

  it('causes a 503 if a lock blocks the statement', async () => {
    const service = await startService({}, { limits: 'real' });
    const other = service.dataSource.createQueryRunner();
    try {
      const api = await service.client();
      const user = await api.createUser();
      await other.startTransaction();
      await other.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
      await other.query('SELECT FROM users WHERE organization_id = $1 AND id = $2 FOR UPDATE', [
        api.organizationId,
        user.id,
      ]);

      const { body } = await api.patch(`/api/v1/users/${user.id}`, { name: 'Grace' }).expect(503);

      expect(body.code).toBe('unavailable');
      await other.rollbackTransaction();
      await api.patch(`/api/v1/users/${user.id}`, { name: 'Grace' }).expect(200);

      await other.startTransaction();
      await other.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
      await other.query('LOCK TABLE users');
      expect((await api.get('/api/v1/users/search?q=grace').expect(503)).body.code).toBe('unavailable');
      await other.rollbackTransaction();
      await api.get('/api/v1/users/search?q=grace').expect(200);
    } finally {
      await other.release();
      await service.close();
    }
  });
});
