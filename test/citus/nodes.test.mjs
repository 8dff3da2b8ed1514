// A worker of a cluster that dies or hangs, under a load of organizations on all workers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ask,
  askFor,
  askUnderLoad,
  failures,
  newAgent,
  repeat,
  since,
  slowest,
  tally,
  until,
} from '../faults/load.mjs';
import { UNLIMITED, ums } from '../faults/replicas.mjs';
import { report } from '../faults/run.mjs';
import { openPlace } from './place.mjs';

const ORGANIZATIONS_PER_NODE = 8;
const CALLERS = 32;
/** Three times the connections of the pool: what waits for the node that hangs must not take them all. */
const POOL = 10;
/** Of each caller while the node hangs; one that waits for it gets a few. */
const ANSWERS = 20;
/** The timeouts of src/database: a wait in a lane, and a statement, which may be repeated. */
const LONGEST_MS = 10_000 + 7_000 + 1_500;
const BROKEN_MS = 12_000;
/** A little before the jobs of a replica, which ask every node, run for the first time. */
const JOBS_MS = 51_000;

const place = await openPlace({
  organizations: ORGANIZATIONS_PER_NODE,
  environment: { ...UNLIMITED, DATABASE_POOL_SIZE: String(POOL) },
});
const { replica } = place;
const started = performance.now();
const victim = place.workers[1];

/** Each caller reads, lists and searches for one organization after the other. */
function startReads() {
  const agent = newAgent();
  return repeat(CALLERS, async (n, caller) => {
    const { token, userId, port } = place.organizations[caller % place.organizations.length];
    const paths = [`/api/v1/users/${userId}`, '/api/v1/users?limit=20', '/api/v1/users/search?q=ada'];
    const path = paths[(n + caller) % paths.length];
    const answer = await askUnderLoad(replica.url, path, { token, agent });
    await sleep(20);
    return { ...answer, caller, isVictim: port === victim.port };
  });
}

/** Breaks the node, and mends it while the load goes on. */
async function during(t, breaks, mends) {
  const doomed = await newTokens();
  const load = startReads();
  t.after(load.stop);
  await sleep(2_000);
  await breaks();
  const broken = performance.now();
  await sleep(BROKEN_MS);
  const revoked = await revokeTokens(doomed);
  const mending = performance.now();
  await mends();
  const mended = performance.now();
  await sleep(5_000);
  const answers = await load.stop();

  const isFrom = (isVictim) => answers.filter((answer) => answer.isVictim === isVictim);
  const [own, others] = [isFrom(true), isFrom(false)];
  const meanwhile = since(own, broken).filter(({ at, ms }) => at + ms < mending);
  const later = since(answers, mended + 3_000);
  const counts = countsOf(since(others, broken, mending));
  report(t, {
    'its answers meanwhile': tally(meanwhile),
    'slowest ms': slowest(own),
    'of others': tally(others),
    'of each meanwhile': Math.min(...counts),
    'slowest of others ms': slowest(since(others, broken, mending)),
    'after 3 s': tally(later),
  });
  assert.deepEqual(tally(failures(others)), {}, 'no request of another node fails');
  assert.ok(
    counts.every((count) => count >= ANSWERS),
    'and none waits for the broken one',
  );
  assert.ok(meanwhile.length > 0);
  assert.deepEqual(tally(meanwhile), { 503: meanwhile.length }, 'requests of the node are refused');
  assert.ok(
    failures(own).every(({ status, headers }) => status === 503 && headers['retry-after']),
    'every failure tells when to try again',
  );
  assert.ok(slowest(own) < LONGEST_MS);
  assert.deepEqual(revoked, [204, 401, 401], 'tokens can be revoked whatever node is down');
  assert.ok(later.length > 0);
  assert.deepEqual(tally(failures(later)), {}, 'all is well within 3 s after the restart');
}

/** How many answers each caller got. */
function countsOf(answers) {
  const counts = new Map();
  for (const { caller } of answers) counts.set(caller, (counts.get(caller) ?? 0) + 1);
  return [...counts.values()];
}

/**
 * Revokes a token of an organization on another node through the API, and one of an organization on the broken node by
 * the command line; returns the status of the first, and those of requests with the tokens.
 */
async function revokeTokens([first, second]) {
  const { token } = place.organizations.find(({ port }) => port !== victim.port);
  const { status } = await ask(replica.url, `/v1/tokens/${first.id}`, { method: 'DELETE', token });
  await ums({ DATABASE_URL: place.url }, 'tokens', 'revoke', second.id);
  const refused = await Promise.all(
    [first, second].map(({ token }) => ask(replica.url, '/v1/tokens/current', { token })),
  );
  return [status, ...refused.map((answer) => answer.status)];
}

/** A new token of an organization on another node, and one of an organization on the node that breaks. */
const newTokens = () =>
  Promise.all(
    [false, true].map(async (isVictim) => {
      const { token } = place.organizations.find(({ port }) => (port === victim.port) === isVictim);
      const body = { name: 'Doomed', scopes: ['admin'] };
      return askFor(replica.url, '/v1/tokens', { method: 'POST', token, body });
    }),
  );

test('a worker is killed and restarted', (t) => {
  const restarts = async () => {
    await victim.start();
    return true;
  };
  const mends = () => until(() => restarts().catch(() => false));
  return during(t, () => victim.stop('SIGKILL'), mends);
});

test('a worker is frozen and goes on, while jobs wait for it, too', async (t) => {
  await sleep(Math.max(0, started + JOBS_MS - performance.now()));
  await during(t, victim.freeze, victim.thaw);
});
