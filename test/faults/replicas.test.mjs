// What holds across replicas, also those that get a fifth of a core, as small pods on a busy machine do, and for
// callers that send a byte at a time.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, askPatiently, newAgent, repeat, slowest, tally } from './load.mjs';
import { ADMIN, UNLIMITED } from './replicas.mjs';
import { makeTokens } from './rows.mjs';
import { report, SHORT } from './run.mjs';
import { openScene } from './scene.mjs';

test('every replica rejects a revoked token from the next request on', async (t) => {
  const ROUNDS = SHORT ? 20 : 205;
  const TRIES = 100;
  const { replicas, query } = await openScene({ replicas: 4, environment: UNLIMITED, t });
  const tries = [];
  for (const [round, { id, value }] of (await makeTokens(query, ROUNDS, ['users:read'])).entries()) {
    const use = (i) => ask(replicas[i % 4].url, '/v1/tokens/current', { token: value });
    const first = await Promise.all([0, 1, 2, 3].map(use));
    assert.deepEqual(tally(first), { 200: 4 });
    const earlier = Array.from({ length: 20 }, (_, i) => use(i)); // in flight during the revocation
    const { status } = await ask(replicas[round % 4].url, `/v1/tokens/${id}`, { method: 'DELETE' });
    assert.equal(status, 204);
    tries.push(...(await Promise.all(Array.from({ length: TRIES }, (_, i) => use(i)))));
    await Promise.all(earlier);
  }
  report(t, { tokens: ROUNDS, tries: tries.length, answers: tally(tries) });
  assert.deepEqual(tally(tries), { 401: ROUNDS * TRIES });
});

test('20 batches at once that write the same users all succeed on slow replicas', async (t) => {
  const [BATCHES, USERS, ON_MS, OFF_MS] = [20, 200, 20, 80];
  const { replicas } = await openScene({ replicas: 2, t });
  const agent = newAgent();
  const send = (url, group, count) => {
    const users = Array.from({ length: count }, (_, n) => ({
      name: 'Batch',
      email: `${group}-${n}@example.com`,
      metadata: { at: performance.now() },
    }));
    const body = { mode: 'upsert', users };
    return askPatiently(url, '/api/v1/users/batch', { method: 'POST', body, agent, hangsMs: 60_000 });
  };
  // Opens the connections, which would take long later.
  await Promise.all(replicas.flatMap(({ url }, i) => [1, 2, 3, 4].map((n) => send(url, `${i}-${n}`, 1))));
  const slowing = repeat(1, async () => {
    for (const { process } of replicas) process.kill('SIGSTOP');
    await sleep(OFF_MS);
    for (const { process } of replicas) process.kill('SIGCONT');
    await sleep(ON_MS);
  });
  const answers = await Promise.all(
    Array.from({ length: BATCHES }, (_, n) => send(replicas[n % 2].url, 'same', USERS)),
  ).finally(slowing.stop);
  agent.destroy();
  report(t, { answers: tally(answers), 'slowest ms': slowest(answers) });
  assert.deepEqual(tally(answers), { 200: BATCHES });
});

/** Sends a text, one byte every 200 ms, and returns the statuses until the connection closes, or hangs. */
function sendSlowly(url, head, rest) {
  return new Promise((done) => {
    let received = '';
    const socket = connect(new URL(url).port, '127.0.0.1');
    const hangs = setTimeout(() => socket.destroy(), 50_000);
    socket.setEncoding('latin1').on('error', () => {});
    socket.on('data', (text) => (received += text));
    socket.on('connect', async () => {
      socket.write(head);
      for (const byte of rest) {
        if (socket.destroyed) return;
        socket.write(byte);
        await sleep(200);
      }
    });
    socket.on('close', () => {
      clearTimeout(hangs);
      const isNamed = /^x-request-id: \S/im.test(received);
      done([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => `${status} ${isNamed}`));
    });
  });
}

test('headers and bodies that come a byte at a time are a 408, and the service keeps serving', async (t) => {
  const { replicas } = await openScene({ t });
  const [{ url }] = replicas;
  const post =
    `POST /api/v1/users HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ADMIN}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n';
  const statuses = await Promise.all([
    sendSlowly(url, 'GET /livez HTTP/1.1\r\nX-Slow: ', 'x'.repeat(200)),
    sendSlowly(url, post, 'x'.repeat(400)),
  ]);
  assert.deepEqual(statuses, [['408 true'], ['408 true']]);
  assert.equal((await ask(url, '/api/v1/users')).status, 200);
});
