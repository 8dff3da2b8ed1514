// Looks for memory and handle leaks after a long load with many tokens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { askUnderLoad, newAgent, repeat, tally } from './load.mjs';
import { held, WATCHED } from './replicas.mjs';
import { makeTokens } from './rows.mjs';
import { report, SHORT } from './run.mjs';
import { openScene } from './scene.mjs';

const TOKENS = 10_000;
const LIMIT = 2;
const SECONDS = SHORT ? 40 : 600;
// Entries of a rate limit window are dropped two windows later.
const WARM_UP_SECONDS = SHORT ? 20 : 150;
const WORKERS = 24;
const MB = 1024 * 1024;
const GROWTH_BYTES = (SHORT ? 2 : 6) * MB;

/**
 * The number of timers and handles of an idle process, without those of connections, whose number fluctuates: each that
 * is idle in the pool has a timer.
 */
const steady = ({ resources: { TCPSocketWrap = 0, Timeout = 0, ...others } }) =>
  Object.values(others).reduce((sum, count) => sum + count, Math.max(0, Timeout - TCPSocketWrap));

test(`${SECONDS} s of load with ${TOKENS} tokens`, { timeout: (SECONDS + 600) * 1000 }, async (t) => {
  // A limit that the tokens exceed, so that rejections are cached.
  const environment = { RATE_LIMIT_PER_MINUTE: String(LIMIT), ...WATCHED };
  const {
    query,
    replicas: [replica],
  } = await openScene({ environment, t });
  const tokens = await makeTokens(query, TOKENS);
  const counts = {};
  let next = 0;
  /** Runs the load beside `meanwhile`. Returns what the replica holds afterwards. */
  const underLoad = async (meanwhile) => {
    const agent = newAgent(WORKERS);
    const load = repeat(WORKERS, async () => {
      const i = next++;
      const { value: token } = tokens[i % TOKENS];
      const path = ['/api/v1/users', '/v1/tokens/current', '/api/v1/users/search?q=ada', '/nothing'][i % 4];
      const answer = await askUnderLoad(replica.url, path, { token, agent });
      for (const [key, count] of Object.entries(tally([answer]))) counts[key] = (counts[key] ?? 0) + count;
      await sleep(5);
    });
    await meanwhile();
    await load.stop();
    agent.destroy();
    await sleep(1_000);
    return held(replica);
  };
  const first = await underLoad(async () => {
    await sleep(WARM_UP_SECONDS * 1000);
    // Until then, every rejection may be the first of its token, and is kept.
    while (next < (LIMIT + 1) * TOKENS) await sleep(100);
  });
  const samples = [];
  const last = await underLoad(async () => {
    samples.push(await held(replica));
    for (let time = 0; time < 5; time++) {
      await sleep(((SECONDS - WARM_UP_SECONDS) / 5) * 1000);
      samples.push(await held(replica));
    }
  });

  report(t, { requests: next, answers: counts });
  const heaps = samples.map(({ heapUsed }) => heapUsed);
  report(t, {
    'heap MB': heaps.map((bytes) => (bytes / MB).toFixed(1)).join(' '),
    'RSS MB': samples.map(({ rss }) => Math.round(rss / MB)).join(' '),
    'held when idle': first.resources,
    'held when idle again': last.resources,
  });
  assert.ok(heaps.at(-1) - heaps[0] < GROWTH_BYTES, 'the heap does not grow');
  assert.ok(steady(last) <= steady(first) + 2, 'timers and handles stay constant');
  assert.deepEqual(
    Object.keys(counts).filter((key) => !['200', '404', '429'].includes(key)),
    [],
  );
});
