import { LastUse } from '../../src/auth/last-use';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { Background } from '../../src/platform/background/background';
import { placementsOf } from '../../src/platform/database/citus/placements';
import { Database } from '../../src/platform/database/database';
import { connectionBroke, databaseFailure, violates } from '../../src/platform/database/errors';
import { COMMON_SHARE } from '../../src/platform/fairness/owners';
import { systemCaller } from '../../src/platform/http/caller';
import { PostgresStorage } from '../../src/platform/rate-limit/postgres.storage';
import { WINDOW_MS, windowKey } from '../../src/platform/rate-limit/window';
import { BatchService } from '../../src/users/batch/batch.service';
import { sql } from '../../src/platform/database/sql';
import { aUser, type Client } from '../support/client';
import { describeOn } from '../support/engine';
import { useService } from '../support/service';
import { type Statement, statementsOf } from '../support/statements';
import { until } from '../support/until';

// What a cluster refuses, or does on several nodes in one transaction. The tests on a cluster show the rest.

const DISTRIBUTED = /\b(users|deleted_users|user_search|idempotency_keys|rate_limit_windows)"?\s/;

/** How the first statement of a job finds the organizations that have something, on every node. */
const FINDS_ORGANIZATIONS = /^\s*SELECT DISTINCT organization_id AS id FROM/;

const service = useService({}); // every job runs: on its own rows alone
let api: Client;
beforeAll(async () => void (api = await service.client()));

async function requests(): Promise<void> {
  const user = await api.createUser({ name: 'Ada Lovelace', metadata: { city: 'Cambridge' } });
  await api.post('/api/v1/users', aUser()).set('Idempotency-Key', 'once').expect(201);
  const path = `/api/v1/users/${user.id}`;
  await api.get(path).expect(200);
  const { body } = await api.get('/api/v1/users?limit=1&sort=name').expect(200);
  await api.get(`/api/v1/users?limit=1&sort=name&cursor=${body.nextCursor}`).expect(200);
  for (const filter of [`email=${encodeURIComponent(user.email)}`, 'role=member&sort=updatedAt'])
    await api.get(`/api/v1/users?${filter}`).expect(200);
  for (const q of ['ada', 'lovelasce', 'ca', user.email, user.id])
    await api.get(`/api/v1/users/search?q=${encodeURIComponent(q)}`).expect(200);
  await api.get('/api/v1/statistics').expect(200);
  await api.get(`${path}/export`).expect(200);
  for (const change of [{ role: 'admin' }, { name: 'Ada King' }, { email: 'countess@new.example' }])
    await api.patch(path, change).expect(200);
  await api.delete(path).expect(204);
  for (const query of ['?limit=1', `?email=${encodeURIComponent(user.email)}`])
    await api.get(`/api/v1/deleted-users${query}`).expect(200);
  await api.post(`/api/v1/deleted-users/${user.id}/restore`, { email: 'back@new.example' }).expect(200);
  await api.delete(path).expect(204);
  await api.delete(`/api/v1/deleted-users/${user.id}`).expect(204);
  const { body: token } = await api
    .post('/v1/tokens', { name: 't', scopes: ['admin'], expiresIn: '30d' })
    .expect(201);
  for (const tokens of ['/v1/tokens?state=active', `/v1/tokens/${token.id}`])
    await api.get(tokens).expect(200);
  await api.get(`/v1/tokens?parent=${token.id}&state=active`).expect(200);
  await api.delete(`/v1/tokens/${token.id}`).expect(204);
  await api.get('/readyz').expect(200);
}

async function jobs(): Promise<void> {
  const { app, dataSource } = service;
  await dataSource.query(`UPDATE idempotency_keys SET created_at = '2000-01-01' WHERE organization_id = $1`, [
    api.organizationId,
  ]);
  const deleted = await api.createUser();
  await api.delete(`/api/v1/users/${deleted.id}`).expect(204);
  await dataSource.query(`UPDATE deleted_users SET deleted_at = '2000-01-01' WHERE organization_id = $1`, [
    api.organizationId,
  ]);
  for (const { run } of app.get(Background, { strict: false }).jobs) await run(new AbortController().signal);
  await app.get(LastUse, { strict: false }).flush();
  const by = systemCaller(api.organizationId, 'cli', 'test');
  const users = [aUser(), aUser()];
  await app.get(BatchService).run(by, { users, mode: 'upsert', atomic: false, dryRun: false });
  await app.get(OrganizationsService, { strict: false }).rename(api.organizationId, 'Renamed');
  // As on a cluster; a plain database counts several organizations at once.
  const storage = new PostgresStorage(app.get(Database), true);
  const keys = ['tok_1', 'tok_2'].map((id) => windowKey(api.organizationId, id));
  await Promise.all(keys.map((key) => storage.increment(key, WINDOW_MS, 1000)));
}

describe('every statement', () => {
  let statements: Statement[];
  beforeAll(async () => {
    statements = await statementsOf(service.dataSource, async () => {
      await requests();
      await jobs();
    });
  });

  const isOfPlainDatabase = ({ sql }: Statement) => /INTO rate_limit_windows[^]*FROM unnest/.test(sql);
  const isWrite = ({ sql }: Statement) => /\b(INSERT INTO|(?<!FOR )UPDATE|DELETE FROM)\b/.test(sql);
  const texts = (found: Statement[]) => [...new Set(found.map(({ sql }) => sql))];

  it('about an organization names it as a plain parameter', () => {
    const ofRows = statements.filter((statement) => {
      const { sql } = statement;
      return DISTRIBUTED.test(sql) && !FINDS_ORGANIZATIONS.test(sql) && !isOfPlainDatabase(statement);
    });
    expect(ofRows.length).toBeGreaterThan(40);
    const unnamed = ofRows.filter(({ sql, values }) => {
      const isOfNetworks = !values.includes(api.organizationId) && sql.includes('rate_limit_windows');
      const place = values.indexOf(isOfNetworks ? COMMON_SHARE : api.organizationId) + 1;
      return place === 0 || !new RegExp(`(organization_id"? = |VALUES \\()\\$${place}\\b`).test(sql);
    });
    expect(texts(unnamed)).toEqual([]);
  });

  it('inserts by VALUES; a step of a write may insert what the write returns', () => {
    const selects = statements.filter(
      (statement) =>
        /INSERT INTO "?(users|deleted_users|user_search|idempotency_keys|rate_limit_windows)\b[^()]*\([^()]*\)\s*SELECT/.test(
          statement.sql,
        ) && !isOfPlainDatabase(statement),
    );
    expect(texts(selects)).toEqual([]);
  });

  it('that writes has the clock in no place that a cluster refuses', () => {
    const clock = '(now|clock_timestamp)\\(\\)';
    const refused = new RegExp(
      [
        `coalesce\\([^()]*${clock}`,
        `\\bCASE\\b[^]*?${clock}[^]*?\\bEND\\b`,
        `DO UPDATE SET[^]*${clock}`,
        `RETURNING[^]*${clock}`,
        `\\bSET\\b((?!\\b(FROM|WHERE)\\b)[^])*${clock} [-+]`,
      ].join('|'),
      'i',
    );
    const found = statements.filter(
      (statement) => isWrite(statement) && !isOfPlainDatabase(statement) && refused.test(statement.sql),
    );
    expect(texts(found)).toEqual([]);
  });
});

describeOn('postgres', 'background work that asks every node', () => {
  it('has one connection, whatever its statements wait for', async () => {
    const database = service.app.get(Database);
    const runner = service.dataSource.createQueryRunner();
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
    try {
      await runner.query('SELECT pg_advisory_lock(1)');
      const sweeps = Array.from({ length: 5 }, () =>
        database.sweep(sql`SELECT pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1)`),
      );
      await until(async () => (await runner.query(waiting)).length > 0);
      await api.get('/api/v1/users').expect(200);
      expect(await runner.query(waiting)).toHaveLength(1);
      await runner.query('SELECT pg_advisory_unlock(1)');
      expect(await Promise.all(sweeps)).toHaveLength(5);
    } finally {
      await runner.release();
    }
  });
});

it('says of every table where it is on a cluster', async () => {
  const tables: { name: string; columns: string[] }[] = await service.dataSource.query(
    `SELECT table_name AS name, array_agg(column_name::text) AS columns
     FROM information_schema.tables JOIN information_schema.columns USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' GROUP BY 1`,
  );
  const placements = placementsOf(service.dataSource);
  expect(tables.map(({ name }) => name).sort()).toEqual(Object.keys(placements).sort());
  const others = Object.keys(placements).filter((name) => placements[name] !== 'distributed');
  expect(others.slice(0, 2)).toEqual(['organizations', 'ums_migrations']); // to which other tables refer
  expect(others.slice(2).sort()).toEqual(['event_subscribers', 'sign_in_rounds', 'token_events', 'tokens']);
  const distributed = tables.filter(({ name }) => placements[name] === 'distributed');
  expect(distributed.filter(({ columns }) => !columns.includes('organization_id'))).toEqual([]);
});

const error = (code: string, message: string, more: object = {}) =>
  Object.assign(new Error(message), { code, severity: 'ERROR', ...more });

/** What the coordinator of a Citus cluster answered while a worker was killed, restarted or frozen. */
const FAILURES = [
  [
    '08006',
    'connection to the remote node u@10.0.0.2:5432 failed with the following error: Connection refused',
  ],
  [
    '08006',
    'connection to the remote node u@10.0.0.2:5432 failed with the following error: connection not open',
  ],
  ['57P01', 'terminating connection due to administrator command'],
  ['XX000', 'could not commit transaction for shard 102042 on at least one active node'],
  ['XX000', 'failure on connection marked as essential: 10.0.0.2:5432'],
  ['XX000', 'SSL SYSCALL error: EOF detected\ninvalid socket'],
  ['XX000', 'server closed the connection unexpectedly'],
] as const;

it('a failure of a node of a cluster means that the caller may try again, and repeats a read', () => {
  for (const [code, message] of FAILURES) {
    expect([message, databaseFailure(error(code, message))]).toEqual([message, 'unavailable']);
    expect([message, connectionBroke(error(code, message))]).toEqual([message, true]);
  }
  const internal = error('XX000', 'cache lookup failed for relation 102042');
  expect([databaseFailure(internal), connectionBroke(internal)]).toEqual([undefined, false]);
});

it('violates() knows a constraint by its name, on a shard too, and no other error', () => {
  const key = 'users_organization_id_email_key_key';
  const says = (constraint: string) => [
    violates(error('23505', 'duplicate key', { constraint }), key),
    violates(error('23505', `duplicate key value violates unique constraint "${constraint}"`), key),
  ];
  for (const own of [key, `${key}_102018`]) expect([own, ...says(own)]).toEqual([own, true, true]);
  for (const other of [`${key}_b`, `${key}_2_b`, `a_${key}`, ''])
    expect([other, ...says(other)]).toEqual([other, false, false]);
  expect(violates(error('55P03', 'lock not available', { constraint: key }), key)).toBe(false);
});

it('a connection that TypeORM has let go of in a transaction is a broken one', () => {
  for (const message of [
    'Query runner already released. Cannot run queries anymore.',
    'Database connection provided by a query runner was already released, cannot continue to use its querying methods anymore.',
  ]) {
    expect([message, databaseFailure(new Error(message))]).toEqual([message, 'unavailable']);
    expect([message, connectionBroke(new Error(message))]).toEqual([message, true]);
  }
});
