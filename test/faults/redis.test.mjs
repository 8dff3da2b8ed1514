// Faults of Redis under load.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTokens, startReplicas, stop, UNLIMITED } from './cluster.mjs';
import { ask, failures, since, slowest, startLoad, tally, until } from './load.mjs';
import { startProxy } from './proxy.mjs';
import { newDirectory, report, SHORT } from './scene.mjs';
import { NO_REDIS, startPostgres, startRedis } from './servers.mjs';

const OUT = 'Redis is unreachable';
const BACK = 'Redis is reachable again';
const PATIENCE_MS = 150;
const OUTAGE_MS = SHORT ? 2_500 : 4_000;

let postgres;
let redis;
let proxy;
/** Replicas without and with a limit that the tests reach. */
let unlimited;
let limited;
let query;

const options = { skip: NO_REDIS };

before(async () => {
  if (NO_REDIS) return;
  const directory = newDirectory();
  postgres = await startPostgres(directory);
  redis = await startRedis(directory);
  proxy = await startProxy(redis.port);
  const DATABASE_URL = await postgres.createDatabase('ums');
  query = (sql, values) => postgres.query(sql, values, DATABASE_URL);
  const env = { DATABASE_URL, REDIS_URL: `redis://127.0.0.1:${proxy.port}` };
  unlimited = await startReplicas(2, { ...env, ...UNLIMITED });
  limited = await startReplicas(2, env);
});
after(async () => {
  if (NO_REDIS) return;
  assert.deepEqual(await stop([...unlimited, ...limited]), [0, 0, 0, 0]);
  await proxy.close();
  await redis.stop();
  await postgres.stop();
});

const said = (text) => unlimited.map(({ output }) => output().split(text).length - 1);

/** Runs a load from before the outage until Redis counts again, and checks what must hold during any outage. */
async function during(t, begin, finish) {
  const urls = unlimited.map(({ url }) => url);
  const load = startLoad(urls, { workers: 12, pauseMs: 10 });
  t.after(load.stop);
  await sleep(1_500);
  // Wait until both replicas count in Redis: on a busy machine one may have lost it for a moment.
  await until(() => said(OUT).every((count, i) => count === said(BACK)[i]));
  const [outBefore, backBefore] = [said(OUT), said(BACK)];
  const from = performance.now();
  await begin();
  await sleep(OUTAGE_MS);
  await finish();
  const isBack = () => said(BACK).every((count, i) => count > backBefore[i]);
  const backAfter = await until(isBack);
  await sleep(500);
  const answers = await load.stop();

  const later = since(answers, from + 2 * PATIENCE_MS, from + OUTAGE_MS).map(({ ms }) => ms);
  const median = later.sort((a, b) => a - b)[later.length >> 1];
  const logged = said(OUT).map((count, i) => count - outBefore[i]);
  const outages = said(BACK).map((count, i) => count - backBefore[i]);
  report(t, {
    requests: answers.length,
    answers: tally(answers),
    'slowest ms': slowest(answers),
    'median in the outage ms': median.toFixed(1),
    'back after ms': backAfter,
    'log lines of each replica': logged.join(' '),
  });
  assert.deepEqual(tally(failures(answers)), {}, 'no 5xx');
  assert.ok(slowest(answers) < 1_500, 'nothing hangs');
  assert.ok(median < PATIENCE_MS, 'only a probe waits for Redis, not every request');
  // A busy machine may cause short outages of its own.
  assert.deepEqual(logged, outages, 'an outage is logged once');
  assert.ok(Math.max(...outages) <= 3);
}

test('Redis is killed and restarted', options, (t) => during(t, redis.kill, redis.start));

test('Redis is frozen', options, (t) => during(t, redis.freeze, redis.thaw));

test('all connections to Redis go silent', options, (t) =>
  during(
    t,
    () => {
      proxy.swallow();
      proxy.silence();
    },
    proxy.pass,
  ),
);

test('Redis is too slow', options, (t) =>
  during(
    t,
    () => proxy.delay(3 * PATIENCE_MS),
    () => proxy.delay(0),
  ),
);

for (const [name, fault, windows] of [
  ['flushed', () => redis.flush(), 2],
  // Redis starts a new count twice, and PostgreSQL one in between.
  ['killed and restarted', () => redis.kill().then(redis.start), 3],
]) {
  test(`Redis ${name} in mid-window admits at most ${windows}000 requests`, options, async (t) => {
    await until(async () => {
      const [{ value }] = await makeTokens(query, 1);
      await Promise.all(limited.map(({ url }) => ask(url, '/v1/tokens/current', { token: value })));
      const third = await ask(limited[0].url, '/v1/tokens/current', { token: value });
      return third.headers['x-ratelimit-remaining'] === '997'; // both replicas count in the same place
    });
    const [{ value: token }] = await makeTokens(query, 1);
    const answers = [];
    for (let wave = 0; wave < 60; wave++) {
      const asked = Array.from({ length: 50 }, (_, i) =>
        ask(limited[i % 2].url, '/v1/tokens/current', { token }),
      );
      if (wave === 10) await fault();
      answers.push(...(await Promise.all(asked)));
    }
    const admitted = answers.filter(({ status }) => status === 200).length;
    report(t, { requests: answers.length, answers: tally(answers), admitted });
    assert.deepEqual(tally(failures(answers)), {});
    assert.ok(admitted >= 1_000 && admitted <= windows * 1_000);
  });
}
