// Replicas that get a fifth of a core, as small pods on a busy machine do.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startReplicas, stop } from './cluster.mjs';
import { askPatiently, newAgent, slowest, tally } from './load.mjs';
import { newDirectory, report } from './scene.mjs';
import { startPostgres } from './servers.mjs';

const ON_MS = 20;
const OFF_MS = 80;

const BATCHES = 20;
const USERS = 200;

const agent = newAgent();

let postgres;
let replicas;
let isOver = false;
let slowing;

/** Stops and continues the replicas in turns. */
async function slowDown() {
  while (!isOver) {
    for (const { process } of replicas) process.kill('SIGSTOP');
    await sleep(OFF_MS);
    for (const { process } of replicas) process.kill('SIGCONT');
    await sleep(ON_MS);
  }
}

before(async () => {
  postgres = await startPostgres(newDirectory());
  replicas = await startReplicas(2, { DATABASE_URL: await postgres.createDatabase('ums') });
  // Opens the connections, which would take long later.
  await Promise.all(replicas.flatMap(({ url }) => [1, 2, 3, 4].map((n) => send(url, `${url} ${n}`, 1))));
  slowing = slowDown();
});
after(async () => {
  isOver = true;
  await slowing;
  agent.destroy();
  await stop(replicas);
  await postgres.stop();
});

/** Sends a batch that writes these users of this group. */
function send(url, group, count) {
  const users = Array.from({ length: count }, (_, n) => ({
    name: 'Batch',
    email: `${group.replaceAll(/\W/g, '-')}-${n}@example.com`,
    metadata: { at: performance.now() },
  }));
  const body = { mode: 'upsert', users };
  return askPatiently(url, '/api/v1/users/batch', { method: 'POST', body, agent, hangsMs: 60_000 });
}

test(`${BATCHES} batches at once that write the same users all succeed`, async (t) => {
  const answers = await Promise.all(
    Array.from({ length: BATCHES }, (_, n) => send(replicas[n % 2].url, 'same', USERS)),
  );
  report(t, { answers: tally(answers), 'slowest ms': slowest(answers) });
  assert.deepEqual(tally(answers), { 200: BATCHES });
});
