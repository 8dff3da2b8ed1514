// Replicas that are stopped or killed behind a load balancer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBalancer } from './balancer.mjs';
import { ask, askFor, failures, newAgent, slowest, startLoad, tally, until } from './load.mjs';
import { UNLIMITED } from './replicas.mjs';
import { report, SHORT } from './run.mjs';
import { openScene } from './scene.mjs';

const DRAIN_MS = 4_000; // as set in replicas.mjs
const REQUESTS = SHORT ? 2_000 : 20_000;
const TERMINATIONS = SHORT ? 2 : 6;

const scene = await openScene({ replicas: 3, environment: UNLIMITED });
/** Those behind the balancer; the array changes. */
const { replicas, query } = scene;
const balancer = await startBalancer(replicas);
scene.endings.push(balancer.close);

/** Stops the replica with SIGTERM; returns its exit code and the milliseconds that it took. */
async function terminate(replica) {
  const from = performance.now();
  replica.process.kill('SIGTERM');
  const code = await replica.exit;
  return { code, ms: Math.round(performance.now() - from) };
}

async function replace(replica) {
  await scene.start();
  replicas.splice(replicas.indexOf(replica), 1);
}

/** Sends changes through the balancer that a lock delays by `ms`, which must be less than the lock timeout (2 s). */
async function slowChanges(count, ms) {
  const agent = newAgent(); // a connection that has been idle since the last time may be closed by now
  const made = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const body = { name: 'Slow', email: `slow-${performance.now()}-${i}@example.com` };
      return (await askFor(balancer.url, '/api/v1/users', { method: 'POST', body, agent })).id;
    }),
  );
  const sql = 'SELECT 1 FROM users WHERE id = ANY ($1) FOR UPDATE';
  const release = await scene.server.hold(sql, [made], scene.database);
  const answers = Promise.all(
    made.map((id) => ask(balancer.url, `/api/v1/users/${id}`, { method: 'PATCH', body: { name: 'Done' } })),
  );
  const over = sleep(ms).then(release);
  await sleep(200); // the changes are in flight
  return { answers: over.then(() => answers) };
}

test('repeated SIGTERMs to one of three replicas fail no request', async (t) => {
  const load = startLoad([balancer.url], { workers: 16 });
  t.after(load.stop);
  const slow = [];
  const endings = [];
  for (let time = 0; time < TERMINATIONS || load.answers.length < REQUESTS; time++) {
    const { answers } = await slowChanges(6, DRAIN_MS / 4);
    const replica = replicas[time % 3];
    endings.push(await terminate(replica));
    slow.push(...(await answers));
    await replace(replica);
    await until(() => balancer.ready.size === 3);
  }
  const answers = await load.stop();
  const lost = await load.lost(query);
  report(t, {
    requests: answers.length,
    answers: tally(answers),
    terminations: endings.length,
    'longest drain ms': Math.max(...endings.map(({ ms }) => ms)),
    'slowest ms': slowest(answers),
  });
  assert.ok(answers.length >= REQUESTS);
  assert.deepEqual(tally(failures(answers)), {});
  assert.deepEqual(tally(slow), { 200: slow.length });
  assert.deepEqual(new Set(endings.map(({ code }) => code)), new Set([0]));
  assert.ok(endings.every(({ ms }) => ms <= DRAIN_MS + 1_000));
  assert.deepEqual(lost, []);
});

test('a SIGTERM under constant load ends the replica within its drain time', async (t) => {
  const replica = replicas[0];
  const agent = newAgent();
  const load = startLoad([replica.url], { workers: 12, pauseMs: 5, agent });
  t.after(load.stop);
  await sleep(500);
  const { code, ms } = await terminate(replica);
  const answers = await load.stop();
  agent.destroy();
  report(t, { 'exit code': code, 'drain ms': ms, answers: tally(answers) });
  assert.equal(code, 0);
  assert.ok(ms <= DRAIN_MS + 1_000);
  assert.deepEqual(tally(answers.filter(({ status }) => status >= 500)), {});
  await replace(replica);
});

test('a SIGKILL of one of three replicas fails only the requests in flight there', async (t) => {
  await until(() => balancer.ready.size === 3);
  const load = startLoad([balancer.url], { workers: 24 });
  t.after(load.stop);
  await sleep(1_000);
  const replica = replicas[1];
  const from = performance.now();
  replica.process.kill('SIGKILL');
  await replica.exit;
  const gone = performance.now();
  await sleep(2_000);
  const answers = await load.stop();
  const lost = await load.lost(query);
  const broken = failures(answers);
  const underWay = answers.filter(
    ({ at, ms, headers }) =>
      at <= gone && at + ms >= from && Number(headers?.['x-replica']) === replica.process.pid,
  );
  report(t, {
    requests: answers.length,
    answers: tally(answers),
    'in flight there': underWay.length,
  });
  assert.ok(broken.every((answer) => underWay.includes(answer)));
  assert.ok(broken.length <= 24);
  assert.deepEqual(lost, []);
  await replace(replica);
});
