// Requests that would fill the memory of a replica with the heap that Node chooses in the container of deploy/base.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, askFor, askPatiently, newAgent, repeat, tally, unexplained, until } from './load.mjs';
import { isOver } from './machine.mjs';
import { MAX_LIVEZ_MS, watchLivez } from './quiet.mjs';
import { ADMIN } from './replicas.mjs';
import * as rows from './rows.mjs';
import { atExit, report, SHORT } from './run.mjs';
import { openScene } from './scene.mjs';

const NODE_OPTIONS = '--max-old-space-size=192';

/** The memory of the container. */
const CONTAINER_MB = 384;

/** 16 KB, as only former releases accepted: 340 KB when it is parsed. */
const DENSEST = JSON.stringify({ a: Array(5_456).fill({}) });

/** What a directory gives of a user, with as many elements as it may. */
const ATTRIBUTES = {
  phoneNumbers: Array(200).fill({ value: '1', type: 'work' }),
  addresses: Array(200).fill({ locality: 'a' }),
  roles: Array(200).fill({ value: 'a' }),
};

/** As dense as a request with 300 users may be today. */
const DENSE = { a: Array(227).fill({}) };

/** Events of each organization that wait for a subscriber, and how many of them a test waits for. */
const WAITING = 1_000;
const AWAITED = SHORT ? 150 : 400;
const BURSTS = SHORT ? 4 : 12;
const CHANGES = SHORT ? 6_000 : 10_000;
const USERS = 500;

const { server, query, replicas } = await openScene({ environment: { NODE_OPTIONS } });
const [replica] = replicas;
const [{ id: organization }] = await query('SELECT id FROM organizations');
/** A token of another organization, and ten more of the first. */
const { admin: other } = await rows.newOrganization(query, 'Other');
const readers = await rows.makeTokens(query, 10, ['users:read'], organization);
const users = await rows.insertUsers(query, organization, USERS, { prefix: 'dense-', metadata: DENSEST });
const groupNames = rows.ids('grp', 1_000).map((id) => id + '😀'.repeat(226));
await rows.insertGroups(query, organization, groupNames, users.slice(0, 200));
await rows.insertAttributes(query, organization, ATTRIBUTES);
const [metadata, change] = [JSON.parse(DENSEST), `{"metadata":${DENSEST}}`];
await rows.insertEvents(query, organization, 200, `{"user":${change},"previous":${change}}`);
await rows.insertDeletedUsers(query, organization, 200, { name: 'Dense', email: 'x@example.com', metadata });

/** The most memory that the process has taken. */
const peakMB = ({ pid } = replica.process) =>
  Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

/** Runs the requests, while another organization reads and writes. */
async function beside(t, run) {
  const agent = newAgent();
  const load = repeat(1, async () => {
    const body = { name: 'Other', email: `other-${performance.now()}@example.com` };
    const headers = { 'Idempotency-Key': body.email };
    const listed = await askPatiently(replica.url, '/api/v1/users', { token: other, agent });
    const create = { method: 'POST', body, headers, token: other, agent };
    const created = await askPatiently(replica.url, '/api/v1/users', create);
    await sleep(100);
    return [listed, created];
  });
  const answers = await run().finally(load.stop);
  agent.destroy();
  assertAlive();
  const others = tally(load.answers);
  report(t, { answers: tally(answers), others, 'peak MB': Math.round(peakMB()) });
  assert.deepEqual(Object.keys(others).sort(), ['200', '201']);
  assert.ok(peakMB() < CONTAINER_MB);
  return answers;
}

function assertAlive() {
  const { exitCode, signalCode } = replica.process;
  assert.equal(exitCode ?? signalCode, null, replica.output());
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

const everybody = (fields) => users.map((_, n) => ({ email: `dense-${n + 1}@example.com`, ...fields }));
const eight = (send) => () => Array.from({ length: 8 }, send);
const dry = { mode: 'upsert', atomic: true, dryRun: true };

for (const [name, requests] of Object.entries({
  'dry batches': eight(() => batchPatiently(everybody(), dry)),
  'a batch that changes every user': () => [
    batchPatiently(everybody({ name: 'Changed' }), { mode: 'upsert' }),
  ],
  events: eight(() => askPatiently(replica.url, '/api/v1/events?limit=200')),
  'deleted users': eight(() => askPatiently(replica.url, '/api/v1/deleted-users?limit=200')),
  "a directory's list of groups": eight(() => askPatiently(replica.url, '/scim/v2/Groups?count=200')),
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
  for (const one of stalled) one.end();
  assert.ok(
    answers.every(({ status, headers }) => status === 200 || (status === 503 && headers['retry-after'])),
  );
  assert.ok(answers.some(({ status }) => status === 200));
  assert.equal((await batch(full('after'))).status, 200);
});

test('bursts of pages of users in many groups with long names: the process lives and answers', async (t) => {
  const pages = ({ value: token }) =>
    Array.from({ length: 8 }, () => ask(replica.url, '/scim/v2/Users?count=200', { token, discard: true }));
  const livez = await watchLivez(replica);
  const answers = await beside(t, async () => {
    const answers = [];
    for (let n = 0; n < BURSTS; n++) answers.push(...(await Promise.all(readers.flatMap(pages))));
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

test(
  `a purge of a user with ${CHANGES} heavy changes: the process lives`,
  { timeout: 900_000 },
  async (t) => {
    const body = { name: 'Zebulonia', email: 'zebulonia@example.com' };
    const { id } = await askFor(replica.url, '/api/v1/users', { method: 'POST', body });
    await askFor(replica.url, `/api/v1/users/${id}`, { method: 'DELETE' });
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
         (SELECT count(*)::integer FROM deleted_users WHERE id = $1) AS users`,
      [id],
    );
    report(t, { answer: answer.status || answer.error, ms: Math.round(answer.ms), ...left });
    assert.equal(answer.status, 204);
    assert.deepEqual(left, { events: 0, users: 0 });
    assertAlive();
  },
);

test('a slow subscriber in a host, for which thousands of the densest events wait: the process lives', async (t) => {
  const DATABASE_URL = await server.createDatabase('host');
  const query = (sql, values) => server.query(sql, values, DATABASE_URL);
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
  const organizations = rows.ids('org', 10);
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
