// Replicas that start at the same time.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { spawnReplica, stop } from './cluster.mjs';
import { ask, tally, until } from './load.mjs';
import { newDirectory, report } from './scene.mjs';
import { startPostgres } from './servers.mjs';

let postgres;
before(async () => (postgres = await startPostgres(newDirectory())));
after(() => postgres.stop());

/** Starts replicas whose connections can be told apart by application_name. */
const spawnNamed = (count, url) =>
  Array.from({ length: count }, (_, i) =>
    spawnReplica({ DATABASE_URL: `${url}?application_name=replica-${i}`, DATABASE_POOL_SIZE: '3' }),
  );

async function judge(t, replicas, url) {
  const query = (sql) => postgres.query(sql, [], url);
  await until(async () => {
    const answers = await Promise.all(replicas.map((replica) => ask(replica.url, '/readyz', { token: '' })));
    return answers.every(({ status }) => status === 200);
  }, 120_000);
  const used = await Promise.all(replicas.map((replica) => ask(replica.url, '/api/v1/users')));
  const migrations = await query('SELECT name FROM ums_migrations');
  const [{ organizations }] = await query('SELECT count(*)::int AS organizations FROM organizations');
  report(t, {
    ready: replicas.length,
    answers: tally(used),
    migrations: migrations.length,
    organizations,
  });
  assert.deepEqual(tally(used), { 200: replicas.length });
  assert.equal(
    new Set(migrations.map(({ name }) => name)).size,
    migrations.length,
    'each migration ran once',
  );
  assert.equal(organizations, 1, 'only one replica bootstraps');
}

test('six replicas start at once on an empty database: one migrates and bootstraps', async (t) => {
  const url = await postgres.createDatabase('together');
  const replicas = spawnNamed(6, url);
  await Promise.all(replicas.map(({ started }) => started));
  await judge(t, replicas, url);
  assert.deepEqual(await stop(replicas), [0, 0, 0, 0, 0, 0]);
});

test('six replicas start at once and the migrating one is killed: the others finish', async (t) => {
  const url = await postgres.createDatabase('midway');
  // An open transaction creates a table with the same name as one of the migration, which then has to wait.
  const holder = new pg.Client(url);
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('CREATE TABLE user_search ()');

  const replicas = spawnNamed(6, url);
  const waiting = () =>
    postgres.query(
      `SELECT application_name AS name, wait_event AS wait FROM pg_stat_activity
       WHERE datname = 'midway' AND application_name LIKE 'replica-%' AND wait_event_type = 'Lock'`,
    );
  // One waits for a second, pauses, and leaves the turn to the others.
  let migrating;
  await until(async () => {
    const seen = await waiting();
    migrating = seen.filter(({ wait }) => wait !== 'advisory');
    return migrating.length > 0 && seen.length > 1;
  }, 120_000);
  assert.equal(migrating.length, 1, 'one replica migrates, and the others wait for it');
  const killed = replicas[Number(migrating[0].name.replace('replica-', ''))];
  killed.process.kill('SIGKILL');
  await killed.exit;
  await sleep(200);
  await holder.query('ROLLBACK');
  await holder.end();

  const others = replicas.filter((replica) => replica !== killed);
  const again = spawnReplica({ DATABASE_URL: url });
  await Promise.all([...others, again].map(({ started }) => started));
  await judge(t, [...others, again], url);
  assert.deepEqual(await stop([...others, again]), [0, 0, 0, 0, 0, 0]);
});
