// Requests that would fill the memory of a replica with the heap that Node chooses in the container of deploy/base.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN, makeTokens, startReplica, stop } from './cluster.mjs';
import { MAX_LIVEZ_MS, watchLivez } from './livez.mjs';
import { ask, askPatiently, newAgent, tally, until } from './load.mjs';
import { isOver } from './machine.mjs';
import { unexplained } from './neighbours/run.mjs';
import { atExit, newDirectory, report, SHORT } from './scene.mjs';
import { startPostgres } from './servers.mjs';

const require = createRequire(import.meta.url);
const { newId } = require('../../dist/src/platform/database/id.js');

const NODE_OPTIONS = '--max-old-space-size=192';

/** The memory of the container. */
const CONTAINER_MB = 384;

/** 16 KB, as only former releases accepted: 340 KB when it is parsed. */
const DENSEST = JSON.stringify({ a: Array(5_456).fill({}) });

/** What a directory gives of a user, with as many elements as it may. */
const ATTRIBUTES = JSON.stringify({
  phoneNumbers: Array(200).fill({ value: '1', type: 'work' }),
  addresses: Array(200).fill({ locality: 'a' }),
  roles: Array(200).fill({ value: 'a' }),
});

/** As dense as a request with 300 users may be today. */
const DENSE = { a: Array(227).fill({}) };

/** Events of each organization that wait for a subscriber, and how many of them a test waits for. */
const WAITING = 1_000;
const AWAITED = SHORT ? 150 : 400;

/** How often a burst of pages is repeated. */
const BURSTS = SHORT ? 4 : 12;

const USERS = 500;
const emailOf = (n) => `dense-${n}@example.com`;

let postgres;
let replica;
/** A token of another organization. */
let other;
/** Ten more of the first. */
let readers;

before(async () => {
  postgres = await startPostgres(newDirectory());
  const DATABASE_URL = await postgres.createDatabase('ums');
  const query = (sql, values) => postgres.query(sql, values, DATABASE_URL);
  replica = await startReplica({ DATABASE_URL, NODE_OPTIONS });
  const [{ id: organization }] = await query('SELECT id FROM organizations');
  await query(`INSERT INTO organizations (id, name) VALUES ($1, 'Other')`, [newId('org')]);
  const [{ id: another }] = await query('SELECT id FROM organizations WHERE id <> $1', [organization]);
  [{ value: other }] = await makeTokens(query, 1, ['admin'], another);
  readers = (await makeTokens(query, 10, ['users:read'], organization)).map(({ value }) => value);
  const ids = (prefix, count) => Array.from({ length: count }, () => newId(prefix));
  await query(
    `INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, metadata)
     SELECT $1, id, 'Dense', 'dense', format('dense-%s@example.com', n - 1), format('dense-%s@example.com', n - 1), 'member', $3
     FROM unnest($2::text[]) WITH ORDINALITY AS t (id, n)`,
    [organization, ids('usr', USERS), DENSEST],
  );
  await query(
    `INSERT INTO groups (organization_id, id, display_name, display_name_key, member_count)
     SELECT $1, id, id || $3, id || $3, 200 FROM unnest($2::text[]) AS t (id)`,
    [organization, ids('grp', 1_000), '😀'.repeat(226)],
  );
  await query(
    `INSERT INTO group_members (organization_id, group_id, user_id)
     SELECT $1, groups.id, members.id FROM groups CROSS JOIN (SELECT id FROM users WHERE organization_id = $1 ORDER BY id LIMIT 200) AS members`,
    [organization],
  );
  await query(
    `INSERT INTO scim_users (organization_id, user_id, user_name, attributes, email, name, keys)
     SELECT organization_id, id, email, $2, email, name, '{}' FROM users WHERE organization_id = $1`,
    [organization, ATTRIBUTES],
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

/** The most memory that the process has taken. */
const peakMB = ({ pid } = replica.process) =>
  Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

/** Runs the requests, while another organization reads and writes. */
async function beside(t, run) {
  let isOver = false;
  const agent = newAgent();
  const others = [];
  const work = async () => {
    while (!isOver) {
      const body = { name: 'Other', email: `other-${performance.now()}@example.com` };
      const headers = { 'Idempotency-Key': body.email };
      others.push(
        await askPatiently(replica.url, '/api/v1/users', { token: other, agent }),
        await askPatiently(replica.url, '/api/v1/users', {
          method: 'POST',
          body,
          headers,
          token: other,
          agent,
        }),
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

/** Longer than a batch may wait for its turn and then work on a slow machine. */
const HANGS_MS = 60_000;

const batch = (users, options, more, send = ask) =>
  send(replica.url, '/api/v1/users/batch', {
    method: 'POST',
    body: { users, ...options },
    hangsMs: HANGS_MS,
    ...more,
  });
const batchPatiently = (users, options, more) => batch(users, options, more, askPatiently);

const rowsOf = (fields) => Array.from({ length: USERS }, (_, n) => ({ email: emailOf(n), ...fields }));

for (const [name, requests] of Object.entries({
  'dry batches': () =>
    Array.from({ length: 8 }, () => batchPatiently(rowsOf(), { mode: 'upsert', atomic: true, dryRun: true })),
  'a batch that changes every user': () => [batchPatiently(rowsOf({ name: 'Changed' }), { mode: 'upsert' })],
  events: () => Array.from({ length: 8 }, () => askPatiently(replica.url, '/api/v1/events?limit=200')),
  'deleted users': () =>
    Array.from({ length: 8 }, () => askPatiently(replica.url, '/api/v1/deleted-users?limit=200')),
  "a directory's list of groups": () =>
    Array.from({ length: 8 }, () => askPatiently(replica.url, '/scim/v2/Groups?count=200')),
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
    const large = await batchPatiently(full('other'), {}, { token: other });
    assert.equal(large.status, 200);
    for (const { text } of large.refusals)
      assert.match(
        text,
        /Too many requests of the organization|The database is/,
        'another organization has room for a large body',
      );
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

for (const count of [1, 10])
  test(`bursts of pages of users in many groups with long names, by ${count} tokens: the process lives and answers`, async (t) => {
    const livez = await watchLivez(replica);
    const answers = await beside(t, async () => {
      const answers = [];
      for (let n = 0; n < BURSTS; n++)
        answers.push(...(await Promise.all(readers.slice(0, count).flatMap((token) => pages(8, token)))));
      return answers;
    });
    const { workedMs, livezMs, failures } = await livez.look();
    await livez.stop();
    report(t, { 'livez ms': livezMs, 'of work': workedMs });
    assert.deepEqual(tally(failures), {});
    assert.ok(!isOver(workedMs, MAX_LIVEZ_MS), `/livez is answered after ${workedMs} ms`);
    // A caller that reads too slowly loses its connection.
    const answered = answers.filter(({ status }) => status > 0);
    assert.deepEqual(tally(unexplained(answered)), {}, 'who is refused is told when to come back');
    assert.ok(answered.some(({ status }) => status === 200));
  });

const pages = (count, token) =>
  Array.from({ length: count }, () => ask(replica.url, '/scim/v2/Users?count=200', { token, discard: true }));

test('a slow subscriber in a host, for which thousands of the densest events wait: the process lives', async (t) => {
  const DATABASE_URL = await postgres.createDatabase('host');
  const query = (sql, values) => postgres.query(sql, values, DATABASE_URL);
  const host = fork('test/support/subscriber.cjs', {
    env: { PATH: process.env.PATH, DATABASE_URL, NODE_OPTIONS },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  atExit(() => host.kill('SIGKILL'));
  let said = '';
  host.stderr.on('data', (chunk) => (said += chunk));
  const handled = new Map();
  createInterface({ input: host.stdout }).on('line', (line) => {
    const [organizationId] = JSON.parse(line);
    handled.set(organizationId, (handled.get(organizationId) ?? 0) + 1);
  });
  await once(host, 'message'); // it has made its tables, and registered

  const metadata = { a: Array.from({ length: 499 }, (_, n) => ({ [`${n}`.padEnd(24, '-')]: 0 })) };
  const user = JSON.stringify({ metadata });
  const organizations = Array.from({ length: 10 }, () => newId('org'));
  for (const id of organizations) {
    await query(`INSERT INTO ums.organizations (id, name) VALUES ($1, 'Host')`, [id]);
    await query(
      `INSERT INTO ums.events (organization_id, id, type, source, actor_name, target_id, sequence, data)
       SELECT $1, 'evt_' || lpad(n::text, 26, '0'), 'user.updated', 'api', 'Test', 'usr_' || lpad((n % 200)::text, 26, '0'), n, $2
       FROM generate_series(1, $3::integer) AS n`,
      [id, `{"user":${user},"previous":${user}}`, WAITING],
    );
    await query('INSERT INTO ums.event_heads (organization_id, sequence) VALUES ($1, $2)', [id, WAITING]);
  }
  const isOver = () => host.exitCode !== null || host.signalCode !== null;
  const isHandled = () => organizations.every((id) => handled.get(id) >= AWAITED);
  await until(() => isOver() || isHandled(), 240_000);

  assert.ok(!isOver(), said);
  const peak = peakMB(host);
  report(t, { events: WAITING * organizations.length, 'peak MB': Math.round(peak) });
  assert.ok(peak < CONTAINER_MB);
  host.kill();
  await once(host, 'exit');
});
