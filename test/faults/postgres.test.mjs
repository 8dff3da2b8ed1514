// Faults of PostgreSQL under load.
import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ask, failures, since, slowest, startLoad, tally } from './load.mjs';
import { startProxy } from './proxy.mjs';
import { UNLIMITED } from './replicas.mjs';
import { report, SHORT } from './run.mjs';
import { openScene } from './scene.mjs';

// The timeouts of src/platform/database/data-source.ts for a query, for a connection and for a lock, of
// src/platform/fairness/limits.ts for a statement's turn, and of src/entry/health/health.service.ts.
const QUERY_MS = 7_000;
const CONNECT_MS = 3_000;
const LOCK_MS = 2_000;
const TURN_MS = 10_000;
const READY_MS = 2_000;
const MARGIN_MS = 1_500;
/** How long a read repeats on a broken connection: BROKEN_PAUSES_MS of src/platform/database/retry.ts. */
const REPEATED_MS = 500;
const NORMAL_AFTER_MS = 3_000;
const MAX_CONNECTIONS = 100;
const POOL = 10;

const {
  server: postgres,
  replicas,
  query,
  ...scene
} = await openScene({
  replicas: 0,
  environment: { ...UNLIMITED, DATABASE_POOL_SIZE: String(POOL) },
  settings: { max_connections: MAX_CONNECTIONS },
});
const proxy = await startProxy(postgres.port);
const proxied = new URL(scene.database);
proxied.port = proxy.port;
await Promise.all([1, 2, 3].map(() => scene.start({ DATABASE_URL: proxied.href })));
const urls = replicas.map(({ url }) => url);

/** Polls the health of all replicas, and measures the delays of this process, which the answers include. */
function watchHealth() {
  const seen = { live: [], ready: [] };
  const loop = monitorEventLoopDelay();
  loop.enable();
  const timer = setInterval(() => {
    for (const url of urls) {
      const look = (path, answers) =>
        void ask(url, path, { token: undefined }).then((answer) => answers.push(answer));
      look('/livez', seen.live);
      look('/readyz', seen.ready);
    }
  }, 250);
  return {
    ...seen,
    longestDelayMs: () => loop.max / 1e6,
    stop() {
      clearInterval(timer);
      loop.disable();
    },
  };
}

/**
 * Runs a load from two seconds before the fault until after it, and checks what must hold for any fault. A `fault` that
 * needs a preparation returns when it began. No request may take longer than `mostMs`.
 */
async function during(t, fault, { afterwardsMs = 3_000, workers = 24, mostMs = CONNECT_MS + QUERY_MS } = {}) {
  const health = watchHealth();
  const load = startLoad(urls, { workers, pauseMs: 20 });
  t.after(load.stop);
  t.after(health.stop);
  await sleep(SHORT ? 1_000 : 2_000);
  const from = performance.now();
  const began = (await fault({ load, health })) ?? from;
  const over = performance.now();
  await sleep(NORMAL_AFTER_MS + afterwardsMs);
  const answers = await load.stop();
  health.stop();

  const before = answers.filter(({ at, ms }) => at + ms < from);
  const meanwhile = since(answers, from, over);
  const normal = since(answers, over + NORMAL_AFTER_MS);
  const lost = await load.lost(query);
  // /livez needs no database, so what it takes is the machine's doing.
  const inTime = (ms) => ms + MARGIN_MS + slowest(health.live);
  const sinceBegan = answers.map(({ at, ms }) => ({ ms: at + ms - Math.max(at, began) }));
  report(t, {
    requests: answers.length,
    'before the fault': tally(before),
    'during the fault': tally(meanwhile),
    'in the 3 s after it': tally(since(answers, over, over + NORMAL_AFTER_MS)),
    later: tally(normal),
    'slowest ms': slowest(answers),
    'slowest ms since the fault began': slowest(sinceBegan),
    'writes acknowledged': load.writes(),
    'slowest /livez ms': slowest(health.live),
    'longest delay of the test ms': Math.round(health.longestDelayMs()),
    '/readyz': tally(health.ready),
    'slowest /readyz ms': slowest(health.ready),
  });
  assert.deepEqual(tally(failures(before)), {}, 'no request fails before the fault');
  const others = failures(answers).filter(({ status }) => status !== 503);
  assert.deepEqual(tally(others), {}, 'only 2xx, 4xx and 503');
  assert.ok(
    failures(answers).every(({ headers }) => headers['retry-after'] && headers['x-request-id']),
    'every 503 has its headers',
  );
  assert.ok(slowest(sinceBegan) <= inTime(mostMs), 'every request ends within the timeouts');
  assert.ok(normal.length > 0);
  assert.deepEqual(tally(failures(normal)), {}, 'no request fails later than 3 s after the fault');
  assert.deepEqual(lost, [], 'no acknowledged write is lost');
  assert.deepEqual(tally(health.live), { 200: health.live.length }, '/livez stays 200');
  assert.ok(slowest(health.live) - health.longestDelayMs() < 1_000);
  return { answers, meanwhile, before, health, from, over, inTime };
}

test('PostgreSQL is frozen', async (t) => {
  let frozen;
  const { health, over } = await during(t, async () => {
    await postgres.freeze();
    frozen = performance.now(); // freezing every process of the server takes a while on a busy machine
    await sleep(SHORT ? 5_000 : 10_000);
    postgres.thaw();
  });
  const told = since(health.ready, frozen + 1_500, over - 2_500);
  assert.deepEqual(tally(told), { 503: told.length }, '/readyz answers 503');
});

test('PostgreSQL is stopped immediately and restarted', async (t) => {
  const { health } = await during(t, async () => {
    await postgres.stop('SIGQUIT');
    await sleep(1_500);
    await postgres.start();
  });
  assert.ok(tally(health.ready)[503] > 0, '/readyz answers 503');
});

test('all backends are terminated repeatedly: reads do not fail', async (t) => {
  const terminations = [];
  const { answers, health } = await during(t, async () => {
    for (let time = 0; time < (SHORT ? 4 : 12); time++) {
      const from = performance.now();
      await postgres.terminateAll();
      terminations.push({ from, to: performance.now() });
      await sleep(2_000); // by then, the connections are back
    }
  });
  // On a busy machine, a read may take so long that it meets two terminations, or backends so long to end that one
  // meets all the repetitions of a read.
  const isJudged = ({ at, ms }) => {
    const met = terminations.filter(({ from, to }) => to >= at && from <= at + ms);
    return met.length < 2 && met.every(({ from, to }) => to - from < REPEATED_MS);
  };
  const reads = answers.filter(({ method }) => method === 'GET');
  // A check of readiness that takes too long says so, and its answer is repeated for a second.
  const isReadyJudged = slowest(health.ready) < READY_MS;
  report(t, { 'reads not judged': reads.filter((read) => !isJudged(read)).length });
  assert.deepEqual(tally(failures(reads.filter(isJudged))), {}, 'no read fails');
  if (isReadyJudged) assert.deepEqual(tally(failures(health.ready)), {}, '/readyz does not fail');
});

/** Holds a lock that every request has to wait for. */
async function lockUsers(ms) {
  const release = await postgres.hold('LOCK TABLE users', [], scene.database);
  await sleep(ms);
  await release();
}

// More callers than there are connections.
const MANY = { workers: 6 * POOL };

test('connections go silent', async (t) => {
  let silent;
  const goSilent = async () => {
    await lockUsers(700); // until the requests hold all the connections that they may
    silent = proxy.silence();
    const began = performance.now();
    await sleep(QUERY_MS + 2_000);
    return began;
  };
  const { answers, over } = await during(t, goSilent, { afterwardsMs: 1_500, ...MANY });
  const again = answers.filter(({ at, ms }) => at + ms >= over);
  const share = 1 - failures(again).length / again.length;
  report(t, { 'silent connections': silent, 'success after 9 s': `${(share * 100).toFixed(2)} %` });
  // Statements of one organization hold half of a pool at most; look-ups may have opened the others.
  assert.ok(silent >= (replicas.length * POOL) / 2);
  assert.ok(again.length > 50 && share >= 0.95);
});

/** What fails during a fault does so in time, and /readyz answers in time. */
async function duringExhaustion(t, fault, options) {
  const { meanwhile, health, from, over, inTime } = await during(t, fault, options);
  const failed = failures(meanwhile);
  report(t, { 'slowest 503 ms': slowest(failed) });
  assert.ok(failed.length > 0, 'the fault makes requests fail');
  assert.ok(slowest(failed) <= inTime(options.mostMs), 'a 503 comes in time');
  assert.ok(slowest(since(health.ready, from, over)) <= inTime(READY_MS), 'health answers');
}

// Those that wait for their turn wait for the locks of those before them. The whole form is longer than both together.
test('a held lock exhausts the pools', (t) =>
  duringExhaustion(t, () => lockUsers(SHORT ? 6_000 : 20_000), { ...MANY, mostMs: TURN_MS + LOCK_MS }));

test('max_connections is reached', async (t) => {
  const hogs = [];
  await duringExhaustion(
    t,
    async () => {
      // Take over the connections that the service loses, until none are left for it.
      for (const deadline = performance.now() + 3_000; performance.now() < deadline;) {
        await postgres.terminateAll().catch(() => {});
        const wave = await Promise.allSettled(
          Array.from({ length: MAX_CONNECTIONS }, async () => {
            const hog = new pg.Client(postgres.url);
            hog.on('error', () => {});
            await hog.connect();
            return hog;
          }),
        );
        hogs.push(...wave.filter(({ status }) => status === 'fulfilled').map(({ value }) => value));
        await sleep(1_000);
      }
      await Promise.allSettled(hogs.map((hog) => hog.end()));
    },
    { mostMs: CONNECT_MS },
  );
});

test('the network is slow, then resets, refuses and swallows connections', async (t) => {
  await during(t, async () => {
    proxy.delay(40);
    await sleep(1_000);
    proxy.delay(0);
    for (let time = 0; time < 3; time++) {
      proxy.reset();
      await sleep(300);
    }
    proxy.refuse();
    proxy.reset();
    await sleep(1_000);
    proxy.swallow();
    await sleep(1_000);
    proxy.pass();
  });
});

test('a response of the database is lost: reads are retried, writes are not', async (t) => {
  const [url] = urls;
  const create = (email) => ask(url, '/api/v1/users', { method: 'POST', body: { name: 'Ada', email } });
  const { id } = JSON.parse((await create('kept@example.com')).text);
  const seen = {};
  for (const [statement, send] of Object.entries({
    'FROM tokens': () => ask(url, '/v1/tokens/current'),
    rate_limit_windows: () => ask(url, '/v1/tokens/current'),
    'AND id = ANY': () => ask(url, `/api/v1/users/${id}`),
    'FROM users': () => ask(url, '/api/v1/users'),
    user_search: () => ask(url, '/api/v1/users/search?q=kept'),
    'INSERT INTO "users"': () => create('lost@example.com'),
  })) {
    proxy.loseAnswerTo(statement);
    seen[statement] = (await send()).status;
    assert.ok(proxy.hasLost(), `no statement contains ${statement}`);
  }
  report(t, seen);
  const { 'INSERT INTO "users"': created, ...reads } = seen;
  assert.deepEqual(new Set(Object.values(reads)), new Set([200]));
  assert.equal(created, 503);
  const made = await query('SELECT FROM users WHERE email_key = $1', ['lost@example.com']);
  assert.equal(made.length, 0, 'its transaction was undone, and not repeated');
});
