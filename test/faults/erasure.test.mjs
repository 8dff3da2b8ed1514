// Users with a long and heavy history, and a process with little memory.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
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
  // Metadata of 16 KB before and after each change; incompressible, as a text of `!` is in the search.
  await query(
    `INSERT INTO events (organization_id, id, type, source, actor_name, target_id, data)
     SELECT $1, 'evt_' || lpad(n::text, 26, '0'), 'user.updated', 'api', 'Load', $2, json_build_object('text',
       (SELECT string_agg(md5(n || ' ' || i), '') FROM generate_series(1, 1000) AS i))
     FROM generate_series(1, $3::integer) AS n`,
    [organization, id, CHANGES],
  );
  await query(
    `INSERT INTO replaced_texts (organization_id, user_id, text)
     SELECT $1, $2, ' zebulonia' || E'\\n@' || E'\\n#' || repeat('RCB', 16000) || n FROM generate_series(1, $3::integer) AS n`,
    [organization, id, CHANGES],
  );

  // It may take longer than a client waits.
  const answer = await ask(replica.url, `/api/v1/deleted-users/${id}`, { method: 'DELETE' });
  const isThere = async () => (await query('SELECT FROM deleted_users')).length > 0;
  for (let second = 0; second < 120 && (await isThere()); second++) await sleep(1_000);

  const [left] = await query(
    `SELECT (SELECT count(*)::integer FROM events WHERE target_id = $1 AND data IS NOT NULL) AS events,
       (SELECT count(*)::integer FROM deleted_users) AS users,
       (SELECT count(*)::integer FROM replaced_texts) AS texts,
       (SELECT count(*)::integer FROM search_words WHERE word = 'zebulonia') AS words`,
    [id],
  );
  report(t, { answer: answer.status, ...left });
  assert.deepEqual(left, { events: 0, users: 0, texts: 0, words: 0 });
  assert.equal(replica.process.exitCode, null);
});
