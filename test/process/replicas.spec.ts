/**
 * @slow it starts processes
 * @only postgres citus: an embedded database is that of one process
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { readConfig } from '../../src/entry/process/config';
import { openDatabase, type OpenDatabase } from '../../src/platform/database/data-source';
import { schema } from '../../src/schema';
import { newTokenValue } from '../../src/tokens/token/token-value';
import { aUser, Client } from '../support/client';
import { copyOfTemplate, databaseToMigrate, emptyDatabase, type TestDatabase } from '../support/database';
import { describeOn, itNotOn } from '../support/engine';
import { patiently } from '../support/patiently';
import { run, type Running, start, stop, ums } from '../support/process';
import { verified } from '../support/receiver';
import { until, untilBlocked } from '../support/until';
import { createWebhook, type Delivery, deliveriesOf, useReceivers, WEBHOOKS } from '../support/webhooks';

const [KEY, OTHER_KEY] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));

/** For thousands of deliveries, which slow machines take a while for. */
const MANY_MS = 400_000;

const receive = useReceivers();

describeOn('postgres', 'several replicas on one PostgreSQL', () => {
  const [BOOTSTRAP_TOKEN, OPERATOR_TOKEN] = [newTokenValue(), newTokenValue()];
  let database: TestDatabase;
  let env: NodeJS.ProcessEnv;
  let replicas: Running[];
  let own: OpenDatabase;
  const query = (sql: string, values: unknown[] = []) => own.dataSource.query(sql, values);

  beforeAll(async () => {
    database = await databaseToMigrate();
    env = {
      ...database.env,
      BOOTSTRAP_TOKEN,
      OPERATOR_TOKEN,
      WEBHOOK_ENCRYPTION_KEY: KEY,
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    };
    // They start at once, on an empty database.
    replicas = await Promise.all([1, 2, 3, 4].map(() => start(env)));
    own = await openDatabase(readConfig({ ...database.env, MIGRATE_ON_START: 'false' }), schema);
  });
  afterAll(async () => {
    await own.close();
    expect(await Promise.all(replicas.map(stop))).toEqual([0, 0, 0, 0]);
    await database.drop();
  });

  /** Kills a replica, for which another one starts. */
  async function replace(i: number): Promise<void> {
    replicas[i].process.kill('SIGKILL');
    replicas[i] = await start(env);
  }

  /** A client of one replica. */
  const replica = (i: number, value: string) => new Client(replicas[i % 4].url, { value });
  const everyReplica = async (value: string, path = '/v1/tokens/current') =>
    (await Promise.all([0, 1, 2, 3].map((i) => replica(i, value).get(path)))).map(({ status }) => status);

  let organizationId: string;
  /** The token of an administrator of a new organization, who may send as many requests as a test does. */
  let admin: string;
  const operator = () => replica(0, OPERATOR_TOKEN);
  const newToken = async (fields: object = {}): Promise<{ id: string; token: string }> => {
    const input = { name: 'CI', scopes: ['users:read'], ...fields };
    return (await operator().post(`/v1/organizations/${organizationId}/tokens`, input).expect(201)).body;
  };
  beforeEach(async () => {
    organizationId = (await operator().post('/v1/organizations', { name: 'Test' }).expect(201)).body.id;
    admin = (await newToken({ scopes: ['admin'], rateLimit: 100_000 })).token;
  });

  it('start together: one migrates and bootstraps, and all become ready', async () => {
    for (const { url } of replicas) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await query(`SELECT name FROM organizations WHERE name <> 'Test'`)).toEqual([{ name: 'Default' }]);
    expect(await everyReplica(BOOTSTRAP_TOKEN)).toEqual([200, 200, 200, 200]);
  });

  it('share the limit of a token, also one that the operator has given it, and count each request once', async () => {
    for (const rateLimit of [undefined, 300]) {
      const limit = rateLimit ?? 1_000;
      const { id, token } = await newToken({ rateLimit });
      const answers: Response[] = [];
      for (let i = 0; i < limit + 100; i += 50) {
        const send = (j: number) =>
          fetch(`${replicas[(i + j) % 4].url}/api/v1/users`, {
            headers: { Authorization: `Bearer ${token}` },
          });
        answers.push(...(await Promise.all(Array.from({ length: 50 }, (_, j) => send(j)))));
        // The window stays open, however long they take: it starts with the last hit.
        await query('UPDATE rate_limit_windows SET started_ms = counted_ms WHERE token_id = $1', [id]);
      }
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(100);
      const remaining = answers
        .filter(({ status }) => status === 200)
        .map(({ headers }) => Number(headers.get('X-RateLimit-Remaining')));
      expect(remaining.sort((a, b) => b - a)).toEqual(Array.from({ length: limit }, (_, i) => limit - 1 - i));
    }
  });

  it('all reject a revoked token immediately', async () => {
    for (let round = 0; round < 20; round++) {
      const { id, token } = await newToken();
      await replica(0, token).get('/v1/tokens/current').expect(200);
      await replica(round, admin).delete(`/v1/tokens/${id}`).expect(204);
      expect(await everyReplica(token)).toEqual([401, 401, 401, 401]);
    }
  });

  describe('rotate a token', () => {
    const rotate = (i: number, id: string, body?: object) =>
      replica(i, admin).post(`/v1/tokens/${id}/rotate`, body);

    it('whose old value works until the overlap is over, and not a moment longer', async () => {
      const old = await newToken({ expiresIn: '90d', rateLimit: 100_000 });
      const { body } = await rotate(0, old.id).expect(201);
      await query(`UPDATE tokens SET expires_at = now() + interval '2 seconds' WHERE id = $1`, [old.id]);
      const isOver = async (): Promise<boolean> =>
        (await query('SELECT expires_at <= now() AS over FROM tokens WHERE id = $1', [old.id]))[0].over;
      let [before, after] = [0, 0];
      while (after < 20) {
        const wasOver = await isOver();
        const answers = await everyReplica(old.token);
        if (wasOver) expect([after++, answers]).toEqual([expect.any(Number), [401, 401, 401, 401]]);
        else if (!(await isOver()))
          expect([before++, answers]).toEqual([expect.any(Number), [200, 200, 200, 200]]);
        expect(await everyReplica(body.token)).toEqual([200, 200, 200, 200]);
      }
      expect(before).toBeGreaterThan(0);
    });

    itNotOn('citus', 'and leave only tokens that somebody was told, if many ask at once', async () => {
      const active = async (): Promise<string[]> => {
        const { body } = await replica(0, admin).get('/v1/tokens?state=active&limit=200').expect(200);
        return body.data.map(({ id }: { id: string }) => id).sort();
      };
      const told = await active();
      const old = await newToken({ expiresIn: '90d' });
      const rotateAtOnce = (overlap: string) =>
        Promise.all(Array.from({ length: 30 }, (_, i) => rotate(i, old.id, { overlap })));
      for (const { status, body } of await rotateAtOnce('24h')) {
        expect(status).toBe(201);
        told.push(body.id);
        await replica(0, body.token).get('/v1/tokens/current').expect(200);
      }
      expect(await active()).toEqual([...told, old.id].sort());
      // The lock makes them really wait for each other.
      const lock = own.dataSource.createQueryRunner();
      await lock.startTransaction();
      await lock.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
      await lock.query('SELECT FROM tokens WHERE id = $1 FOR UPDATE', [old.id]);
      const last = rotateAtOnce('0h');
      await untilBlocked(own.dataSource, 3, '%rotated_from%');
      await lock.commitTransaction();
      await lock.release();
      expect((await last).map(({ status }) => status).sort()).toEqual([201, ...Array(29).fill(409)]);
      told.push((await last).find(({ status }) => status === 201)!.body.id);
      expect(await active()).toEqual(told.sort());
    });
  });

  it('warn of a token by themselves, once', async () => {
    const { id } = await newToken({ expiresIn: '90d' });
    await query(`UPDATE tokens SET expires_at = now() + interval '6 days' WHERE id = $1`, [id]);
    const warnings = async () =>
      (await replica(0, admin).get(`/api/v1/events?target=${id}&type=token.expiring`).expect(200)).body.data;
    await until(async () => (await warnings()).length > 0, 500);
    expect(await warnings()).toHaveLength(1);
  });

  /** Sends a request to one replica, with a key. */
  const post = (i: number, path: string, key: string, body: object) =>
    fetch(`${replicas[i % 4].url}/api/v1/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        Authorization: `Bearer ${admin}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
    });
  const stored = (): Promise<{ email: string; version: number }[]> =>
    query('SELECT email, version FROM users WHERE organization_id = $1', [organizationId]);

  it('create a user with a key once, also if the replica is killed in the middle and the request repeated', async () => {
    for (let round = 0; round < 3; round++) {
      const before = (await stored()).length;
      const requests = Array.from({ length: 20 }, () => ({ key: randomUUID(), user: aUser() }));
      const sent = requests.map(({ key, user }) => post(3, 'users', key, user).catch(() => undefined));
      let isOver = false;
      const all = Promise.all(sent).finally(() => (isOver = true));
      await until(async () => isOver || (await stored()).length >= before + 5 * round, 1);
      const replaced = replace(3);
      await all;
      for (const { key, user } of requests)
        expect((await patiently(() => post(0, 'users', key, user))).status).toBe(201);
      expect(await stored()).toHaveLength(before + 20);
      await replaced;
    }
  });

  describe('write batches', () => {
    interface Answer {
      counts?: { failed: number };
    }
    const send = async (i: number, batch: object, key: string = randomUUID()) => {
      // Another 503 says that others keep writing the same users.
      const response = await patiently(
        () => post(i, 'users/batch', key, batch),
        (detail) => detail.includes('in progress'),
      );
      return [response.status, ((await response.json()) as Answer).counts?.failed];
    };

    it('that upsert the same 200 emails, and each email is there once', async () => {
      for (const atomic of [false, true]) {
        await query('DELETE FROM users WHERE organization_id = $1', [organizationId]);
        const emails = Array.from({ length: 200 }, () => aUser().email);
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, n) => {
            // In an order of its own, with values of its own.
            const order = n % 2 ? emails : [...emails].reverse();
            const users = order.map((email) => ({ email, name: `Batch ${n}` }));
            return send(n, { users, mode: 'upsert', atomic });
          }),
        );
        expect(answers).toEqual(answers.map(() => [200, 0]));
        const users = await stored();
        expect(users.map(({ email }) => email).sort()).toEqual([...emails].sort());
        // Every batch has written every user once.
        expect(new Set(users.map(({ version }) => version))).toEqual(new Set([20]));
        const ofUsers = `SELECT FROM events JOIN users USING (organization_id) WHERE organization_id = $1 AND target_id = users.id`;
        expect(await query(ofUsers, [organizationId])).toHaveLength(200 * 20);
      }
    });

    /** Whether a transaction has written to the table. */
    const isWritten = async (table: string): Promise<boolean> => {
      const lock = `SELECT FROM pg_locks WHERE relation = $1::regclass AND mode = 'RowExclusiveLock'`;
      return (await query(lock, [table])).length > 0;
    };

    it('whose repeat finishes what a replica has begun that is killed in the middle', async () => {
      let cut = 0;
      for (const [atomic, table] of [
        [true, 'idempotency_keys'],
        [true, 'users'],
        [true, 'events'],
        [false, 'users'],
        [false, 'events'],
      ] as const) {
        await query('DELETE FROM users WHERE organization_id = $1', [organizationId]);
        const users = Array.from({ length: 500 }, () => aUser());
        const key = randomUUID();
        let isAnswered = false;
        const first = send(3, { users, atomic }, key)
          .catch(() => undefined)
          .finally(() => (isAnswered = true));
        await until(async () => isAnswered || (await isWritten(table)), 1);
        const replaced = replace(3);
        if (!(await first)) cut++;
        expect([0, 500]).toContain((await stored()).length);

        // The server ends the transaction of the killed replica once it notices.
        expect(await send(0, { users, atomic }, key)).toEqual([200, 0]);
        const emails = (await stored()).map(({ email }) => email);
        expect(emails.sort()).toEqual(users.map(({ email }) => email).sort());
        await replaced;
      }
      expect(cut).toBeGreaterThan(0);
    }, 240_000);
  });

  itNotOn('citus', 'send webhooks every event, also when some of them are killed', async () => {
    const many = await Promise.all(Array.from({ length: 5 }, receive));
    const secrets: string[] = [];
    for (const [i, { url }] of many.entries()) {
      const fields = { url, ordering: i < 2 ? 'organization' : 'none' };
      secrets.push((await createWebhook(replica(0, admin), fields)).secret);
    }
    // Slow, so that some are under way when the processes are killed.
    for (const receiver of many)
      receiver.answer((response) => void setTimeout(() => response.writeHead(204).end(), 10));
    const ids = new Set<string>();
    const write = async (i: number) => {
      const users = Array.from({ length: 200 }, () => aUser());
      const { body } = await replica(i, admin).post('/api/v1/users/batch', { users }).expect(200);
      for (const { id } of body.results) ids.add(id);
    };
    for (const i of [2, 3]) await write(i);
    await Promise.all(many.map((receiver) => receiver.until(1)));
    await Promise.race(many.map((receiver) => receiver.until(100)));
    const beforehand = many.map(({ received }) => received.length);
    const replaced = Promise.all([2, 3].map(replace));
    for (const i of [0, 1]) await write(i);
    expect([ids.size, Math.max(...beforehand) < 400]).toEqual([800, true]);
    for (const receiver of many)
      await receiver.until(
        (received) => received.length >= 800 && new Set(received.map(({ id }) => id)).size === 800,
        MANY_MS,
      );
    many.forEach(({ received }, i) => {
      for (const message of received) verified(secrets[i], message);
      expect(new Set(received.map(({ event }) => event.target.id))).toEqual(ids);
      expect(received.length - 800).toBeLessThanOrEqual(10); // what was under way
      if (i >= 2) return;
      const seen = new Set<string>();
      const sequences = received
        .filter(({ id }) => !seen.has(id) && seen.add(id))
        .map(({ event }) => event.sequence);
      expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    });
    await replaced;
  });
});

describeOn('postgres', 'one replica after the other', () => {
  it('finishes what it sends before it stops, and the next one goes on once it has the key of the secrets', async () => {
    const database = await copyOfTemplate();
    const BOOTSTRAP_TOKEN = newTokenValue();
    const env = { ...database.env, BOOTSTRAP_TOKEN, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
    const started: Running[] = [];
    const startWith = async (WEBHOOK_ENCRYPTION_KEY: string) => {
      const replica = await start({ ...env, WEBHOOK_ENCRYPTION_KEY }, '--json');
      started.push(replica);
      return { replica, api: new Client(replica.url, { value: BOOTSTRAP_TOKEN }) };
    };
    const receiver = await receive();
    receiver.answer((response) => void setTimeout(() => response.writeHead(204).end(), 300));

    const first = await startWith(KEY);
    const { id, secret } = await createWebhook(first.api, { url: receiver.url, ordering: 'organization' });
    for (let i = 0; i < 6; i++) await first.api.createUser();
    await receiver.until(2);
    expect(await stop(first.replica)).toBe(0);
    const sent = receiver.received.length;
    expect(sent).toBeLessThan(6);

    const without = await startWith('');
    const refused = await without.api.post(WEBHOOKS, { url: receiver.url, types: ['*'] }).expect(503);
    expect(refused.body).toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('WEBHOOK_ENCRYPTION_KEY'),
    });
    expect(refused.headers['retry-after']).toBeDefined();
    await without.api.post(`${WEBHOOKS}/${id}/rotate-secret`).expect(503);
    await until(() => without.replica.stdout().includes('which is not in WEBHOOK_ENCRYPTION_KEY'));
    expect(receiver.received).toHaveLength(sent);
    await stop(without.replica);

    const rewrapped = await run(['webhooks', 'rewrap', '--json'], {
      ...env,
      WEBHOOK_ENCRYPTION_KEY: `${OTHER_KEY},${KEY}`,
    });
    expect(JSON.parse(rewrapped.stdout)).toEqual({ rewrapped: 1 });
    const last = await startWith(OTHER_KEY);
    await last.api.post(`${WEBHOOKS}/${id}/test`).expect(202);
    for (const message of await receiver.until(7)) verified(secret, message);
    const areDelivered = (all: Delivery[]) => all.every(({ state }) => state === 'delivered');
    const deliveries = await deliveriesOf(last.api, id, areDelivered);
    expect(deliveries.map(({ attempts }) => attempts)).toEqual(Array(7).fill(1));
    const sequences = receiver.received.flatMap(({ event }) => event.sequence ?? []);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect(await stop(last.replica)).toBe(0);
    expect(started.map(({ stdout }) => stdout()).join('')).not.toMatch(/whsec_/);
    await database.drop();
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
