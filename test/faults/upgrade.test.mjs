// A migration while requests and a long transaction use its table.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startReplicas, stop, UNLIMITED } from './cluster.mjs';
import { failures, slowest, startLoad, tally } from './load.mjs';
import { newDirectory, report, SHORT } from './scene.mjs';
import { startPostgres } from './servers.mjs';

const require = createRequire(import.meta.url);
const { migrateDatabase } = require('../../dist/src/platform/database/data-source.js');
const { schema } = require('../../dist/src/schema.js');

class AddNote2000000000000 {
  name = 'AddNote2000000000000';

  up(runner) {
    return runner.query('ALTER TABLE users ADD COLUMN note text');
  }
}

let postgres;
let url;
let replicas;

before(async () => {
  postgres = await startPostgres(newDirectory());
  url = await postgres.createDatabase('ums');
  replicas = await startReplicas(2, { ...UNLIMITED, DATABASE_URL: url });
});
after(async () => {
  assert.deepEqual(await stop(replicas), [0, 0]);
  await postgres.stop();
});

test('a migration waits for a dump without holding up requests', async (t) => {
  const dump = new pg.Client(url);
  await dump.connect();
  await dump.query('BEGIN; LOCK TABLE users, tokens IN ACCESS SHARE MODE');
  const load = startLoad(
    replicas.map((replica) => replica.url),
    { workers: 8, pauseMs: 20 },
  );
  t.after(load.stop);

  const migrations = [...schema.migrations, AddNote2000000000000];
  let isDone = false;
  const migrating = migrateDatabase({ databaseUrl: url }, { ...schema, migrations }).finally(
    () => (isDone = true),
  );
  migrating.catch(() => {});
  let waits = 0;
  let isWaiting = false;
  for (
    const deadline = performance.now() + 60_000;
    waits < (SHORT ? 2 : 6) && performance.now() < deadline;
  ) {
    const {
      rows: [{ waiting }],
    } = await dump.query(
      `SELECT count(*)::int AS waiting FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted`,
    );
    if (waiting > 0 && !isWaiting) waits++;
    isWaiting = waiting > 0;
    await sleep(50);
  }
  assert.equal(isDone, false);
  await dump.query('COMMIT');
  await dump.end();
  assert.deepEqual(await migrating, ['AddNote2000000000000']);
  const answers = await load.stop();

  report(t, { requests: answers.length, answers: tally(answers), 'slowest ms': slowest(answers), waits });
  assert.ok(waits > 1, 'it tries again');
  assert.deepEqual(tally(failures(answers)), {}, 'no request fails');
});
