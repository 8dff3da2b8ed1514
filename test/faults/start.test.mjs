// Migrations of replicas that start at the same time, and while requests and a long transaction use a table.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, failures, slowest, startLoad, tally, until } from './load.mjs';
import { spawnReplica, stop, UNLIMITED } from './replicas.mjs';
import { report, SHORT } from './run.mjs';
import { openScene } from './scene.mjs';

const require = createRequire(import.meta.url);
const { migrateDatabase } = require('../../dist/src/platform/database/data-source.js');
const { schema } = require('../../dist/src/schema.js');

const { server, database, query, start } = await openScene({ replicas: 0 });

/** Starts replicas whose connections can be told apart by application_name. */
const spawnNamed = (count, url) =>
  Array.from({ length: count }, (_, i) =>
    spawnReplica({ DATABASE_URL: `${url}?application_name=replica-${i}`, DATABASE_POOL_SIZE: '3' }),
  );

test('six replicas start at once and the migrating one is killed: the others finish', async (t) => {
  const url = await server.createDatabase('midway');
  // An open transaction creates a table with the same name as one of the migration, which then has to wait.
  const release = await server.hold('CREATE TABLE user_search ()', [], url);

  const replicas = spawnNamed(6, url);
  const waiting = () =>
    server.query(
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
  await release();

  const all = [...replicas.filter((replica) => replica !== killed), spawnReplica({ DATABASE_URL: url })];
  await Promise.all(all.map(({ started }) => started));
  await until(async () => {
    const answers = await Promise.all(all.map((replica) => ask(replica.url, '/readyz', { token: '' })));
    return answers.every(({ status }) => status === 200);
  }, 120_000);
  const answers = tally(await Promise.all(all.map((replica) => ask(replica.url, '/api/v1/users'))));
  const names = (await server.query('SELECT name FROM ums_migrations', [], url)).map(({ name }) => name);
  const organizations = await server.query('SELECT FROM organizations', [], url);
  report(t, { answers, migrations: names.length, organizations: organizations.length });
  assert.deepEqual(answers, { 200: all.length });
  assert.equal(new Set(names).size, names.length, 'each migration ran once');
  assert.equal(organizations.length, 1, 'only one replica bootstraps');
  assert.deepEqual(await stop(all), [0, 0, 0, 0, 0, 0]);
});

class AddNote2000000000000 {
  name = 'AddNote2000000000000';

  up(runner) {
    return runner.query('ALTER TABLE users ADD COLUMN note text');
  }
}

test('a migration waits for a dump without holding up requests', async (t) => {
  const urls = [await start(UNLIMITED), await start(UNLIMITED)].map(({ url }) => url);
  const release = await server.hold('LOCK TABLE users, tokens IN ACCESS SHARE MODE', [], database);
  const load = startLoad(urls, { workers: 8, pauseMs: 20 });
  t.after(load.stop);

  const migrations = [...schema.migrations, AddNote2000000000000];
  let isDone = false;
  const migrating = migrateDatabase({ databaseUrl: database }, { ...schema, migrations }).finally(
    () => (isDone = true),
  );
  migrating.catch(() => {});
  let waits = 0;
  let isWaiting = false;
  for (
    const deadline = performance.now() + 60_000;
    waits < (SHORT ? 2 : 6) && performance.now() < deadline;
  ) {
    const [{ waiting }] = await query(
      `SELECT count(*)::int AS waiting FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted`,
    );
    if (waiting > 0 && !isWaiting) waits++;
    isWaiting = waiting > 0;
    await sleep(50);
  }
  assert.equal(isDone, false);
  await release();
  assert.deepEqual(await migrating, ['AddNote2000000000000']);
  const answers = await load.stop();

  report(t, { requests: answers.length, answers: tally(answers), 'slowest ms': slowest(answers), waits });
  assert.ok(waits > 1, 'it tries again');
  assert.deepEqual(tally(failures(answers)), {}, 'no request fails');
});
