// Users with a long and heavy history, and a process with little memory.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { spawnReplica, stop } from './cluster.mjs';
import { ask } from './load.mjs';
import { newDirectory, report, SHORT } from './scene.mjs';
import { startPostgres } from './servers.mjs';

const CHANGES = SHORT ? 6_000 : 10_000;

let postgres;
let query;
let replica;

before(async () => {
  postgres = await startPostgres(newDirectory());
  const DATABASE_URL = await postgres.createDatabase('ums');
  query = (sql, values) => postgres.query(sql, values, DATABASE_URL);
  replica = await spawnReplica({ DATABASE_URL, NODE_OPTIONS: '--max-old-space-size=192' }).started;
});
after(async () => {
  await stop([replica]);
  await postgres.stop();
});

test(`a purge of a user with ${CHANGES} heavy changes`, { timeout: 900_000 }, async (t) => {
  const created = await ask(replica.url, '/api/v1/users', {
    method: 'POST',
    body: { name: 'Zebulonia', email: 'zebulonia@example.com' },
  });
  const { id } = JSON.parse(created.text);
  assert.equal((await ask(replica.url, `/api/v1/users/${id}`, { method: 'DELETE' })).status, 204);
  const [{ organization }] = await query('SELECT id AS organization FROM organizations');
  // Metadata of 16 KB before and after each change, incompressible.
  await query(
    `INSERT INTO events (organization_id, id, type, source, actor_name, target_id, data)
     SELECT $1, 'evt_' || lpad(n::text, 26, '0'), 'user.updated', 'api', 'Load', $2, json_build_object('text',
       (SELECT string_agg(md5(n || ' ' || i), '') FROM generate_series(1, 1000) AS i))
     FROM generate_series(1, $3::integer) AS n`,
    [organization, id, CHANGES],
  );

  const answer = await ask(replica.url, `/api/v1/deleted-users/${id}`, { method: 'DELETE' });

  const [left] = await query(
    `SELECT (SELECT count(*)::integer FROM events WHERE target_id = $1 AND data IS NOT NULL) AS events,
       (SELECT count(*)::integer FROM deleted_users) AS users`,
    [id],
  );
  report(t, { answer: answer.status || answer.error, ms: Math.round(answer.ms), ...left });
  assert.equal(answer.status, 204);
  assert.deepEqual(left, { events: 0, users: 0 });
  assert.equal(replica.process.exitCode, null);
});
