// Requests that would fill the memory of a replica with the heap that Node chooses in the container of deploy/base.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN, makeTokens, startReplica, stop } from './cluster.mjs';
import { ask, newAgent, tally } from './load.mjs';
import { newDirectory, report } from './scene.mjs';
import { startPostgres } from './servers.mjs';

const require = createRequire(import.meta.url);
const { newId } = require('../../dist/src/database/id.js');

const NODE_OPTIONS = '--max-old-space-size=192';

/** The memory of the container. */
const CONTAINER_MB = 384;

/** 16 KB, as only former releases accepted: 340 KB when it is parsed. */
const DENSEST = JSON.stringify({ a: Array(5_456).fill({}) });

/** As dense as a request may be today. */
const DENSE = { a: Array(999).fill({}) };

const USERS = 500;
const emailOf = (n) => `dense-${n}@example.com`;

let postgres;
let replica;
/** A token of another organization. */
let other;

before(async () => {
  postgres = await startPostgres(newDirectory());
  const DATABASE_URL = await postgres.createDatabase('ums');
  const query = (sql, values) => postgres.query(sql, values, DATABASE_URL);
  replica = await startReplica({ DATABASE_URL, NODE_OPTIONS });
  const [{ id: organization }] = await query('SELECT id FROM organizations');
  await query(`INSERT INTO organizations (id, name) VALUES ($1, 'Other')`, [newId('org')]);
  const [{ id: another }] = await query('SELECT id FROM organizations WHERE id <> $1', [organization]);
  [{ value: other }] = await makeTokens(query, 1, ['admin'], another);
  const ids = (prefix, count) => Array.from({ length: count }, () => newId(prefix));
  await query(
    `INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, metadata)
     SELECT $1, id, 'Dense', 'dense', format('dense-%s@example.com', n - 1), format('dense-%s@example.com', n - 1), 'member', $3
     FROM unnest($2::text[]) WITH ORDINALITY AS t (id, n)`,
    [organization, ids('usr', USERS), DENSEST],
  );
  await query(
    `INSERT INTO events (organization_id, id, type, source, actor_name, target_id, data)
     SELECT $1, id, 'user.updated', 'api', 'Test', 'usr_x', $3 FROM unnest($2::text[]) AS t (id)`,
    [organization, ids('evt', 200), `{"user":{"metadata":${DENSEST}},"previous":{"metadata":${DENSEST}}}`],
  );
  await query(
    `INSERT INTO deleted_users (organization_id, id, version, email_key, fields)
     SELECT $1, id, 1, id, $3 FROM unnest($2::text[]) AS t (id)`,
    [
      organization,
      ids('usr', 200),
      `{"name":"Dense","email":"x@example.com","createdAt":"2026-01-31T09:30:00.000Z","updatedAt":"2026-01-31T09:30:00.000Z","metadata":${DENSEST}}`,
    ],
  );
});
after(async () => {
  await stop([replica]);
  await postgres.stop();
});

/** The most memory that the replica has taken. */
const peakMB = () =>
  Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${replica.process.pid}/status`, 'utf8'))[1]) / 1024;

/** Runs the requests, while another organization reads and writes. */
async function beside(t, run) {
  let isOver = false;
  const agent = newAgent();
  const others = [];
  const work = async () => {
    while (!isOver) {
      const body = { name: 'Other', email: `other-${performance.now()}@example.com` };
      others.push(
        await ask(replica.url, '/api/v1/users', { token: other, agent }),
        await ask(replica.url, '/api/v1/users', { method: 'POST', body, token: other, agent }),
      );
      await sleep(100);
    }
  };
  const working = work();
  const answers = await run().finally(() => (isOver = true));
  await working;
  agent.destroy();
  const { exitCode, signalCode } = replica.process;
  assert.equal(exitCode ?? signalCode, null, replica.output());
  report(t, { answers: tally(answers), others: tally(others), 'peak MB': Math.round(peakMB()) });
  assert.deepEqual(Object.keys(tally(others)).sort(), ['200', '201']);
  assert.ok(peakMB() < CONTAINER_MB);
  return answers;
}

const batch = (users, options, more) =>
  ask(replica.url, '/api/v1/users/batch', { method: 'POST', body: { users, ...options }, ...more });

const rowsOf = (fields) => Array.from({ length: USERS }, (_, n) => ({ email: emailOf(n), ...fields }));

for (const [name, requests] of Object.entries({
  'dry batches': () =>
    Array.from({ length: 8 }, () => batch(rowsOf(), { mode: 'upsert', atomic: true, dryRun: true })),
  'a batch that changes every user': () => [batch(rowsOf({ name: 'Changed' }), { mode: 'upsert' })],
  events: () => Array.from({ length: 8 }, () => ask(replica.url, '/api/v1/events?limit=200')),
  'deleted users': () => Array.from({ length: 8 }, () => ask(replica.url, '/api/v1/deleted-users?limit=200')),
}))
  test(`${name} with the densest metadata: the process lives`, async (t) => {
    const answers = await beside(t, () => Promise.all(requests()));
    assert.deepEqual(tally(answers), { 200: answers.length });
  });

/** A connection with a request whose last byte does not come, and the status of its response. */
async function stall(body) {
  const socket = connect(Number(new URL(replica.url).port), '127.0.0.1');
  let received = '';
  socket.on('error', () => {}).on('data', (chunk) => (received += chunk));
  await once(socket, 'connect');
  socket.write(
    `POST /api/v1/users/batch HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ADMIN}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
  );
  return {
    status: () => /^HTTP\/1\.1 (\d+)/.exec(received)?.[1],
    end: () => socket.destroy(),
  };
}

test('large bodies, full and stalled, leave the process alive', async (t) => {
  const full = (turn) =>
    Array.from({ length: 300 }, (_, n) => ({
      name: 'Dense',
      email: `full-${turn}-${n}@example.com`,
      metadata: DENSE,
    }));
  const body = JSON.stringify({ users: full('stalled') }).padEnd(1024 * 1024);
  const stalled = [];
  const answers = await beside(t, async () => {
    const sent = Promise.all(Array.from({ length: 30 }, (_, turn) => batch(full(turn))));
    stalled.push(...(await Promise.all(Array.from({ length: 400 }, () => stall(body)))));
    const large = await batch(full('other'), {}, { token: other });
    assert.equal(large.status, 200, 'another organization has room for a large body');
    const answers = await sent;
    while (stalled.filter((one) => one.status()).length < 398) await sleep(50);
    return answers;
  });
  report(t, { stalled: tally(stalled.map((one) => ({ status: one.status() ?? 'none' }))) });
  for (const one of stalled) one.end();
  assert.ok(
    answers.every(({ status, headers }) => status === 200 || (status === 503 && headers['retry-after'])),
  );
  assert.ok(answers.some(({ status }) => status === 200));
  assert.equal((await batch(full('after'))).status, 200);
});
