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
/** Replicas without and with a limit that the tests reach, and one with a link of its own to Redis. */
let unlimited;
let limited;
let apart;
let ownLink;
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
  ownLink = await startProxy(redis.port);
  [apart] = await startReplicas(1, { DATABASE_URL, REDIS_URL: `redis://127.0.0.1:${ownLink.port}` });
});
after(async () => {
  if (NO_REDIS) return;
  assert.deepEqual(await stop([...unlimited, ...limited, apart]), [0, 0, 0, 0, 0]);
  await proxy.close();
  await ownLink.close();
  await redis.stop();
  await postgres.stop();
});

const said = (text, replicas = unlimited) => replicas.map(({ output }) => output().split(text).length - 1);
const areBack = () => said(OUT).every((count, i) => count === said(BACK)[i]);

const medianOf = (answers) => answers.map(({ ms }) => ms).sort((a, b) => a - b)[answers.length >> 1];

/** Runs a load from before the outage until Redis counts again, and checks what must hold during any outage. */
async function during(t, begin, finish) {
  const urls = unlimited.map(({ url }) => url);
  const load = startLoad(urls, { workers: 12, pauseMs: 10 });
  t.after(load.stop);
  await sleep(1_500);
  // Wait until both replicas count in Redis: on a busy machine one may have lost it for a moment.
  await until(areBack);
  const [outBefore, backBefore] = [said(OUT), said(BACK)];
  const from = performance.now();
  await begin();
  await sleep(OUTAGE_MS);
  await finish();
  const isBack = () => said(BACK).every((count, i) => count > backBefore[i]);
  const backAfter = await until(isBack);
  await sleep(500);
  await until(areBack).catch(() => {}); // then the comparison below fails
  const logged = said(OUT).map((count, i) => count - outBefore[i]);
  const outages = said(BACK).map((count, i) => count - backBefore[i]);
  const answers = await load.stop();

  const median = medianOf(since(answers, from + 2 * PATIENCE_MS, from + OUTAGE_MS));
  const usual = Math.max(medianOf(since(answers, 0, from)), medianOf(since(answers, from + OUTAGE_MS)));
  report(t, {
    requests: answers.length,
    answers: tally(answers),
    'slowest ms': slowest(answers),
    'median in the outage ms': median.toFixed(1),
    'otherwise at most': usual.toFixed(1),
    'back after ms': backAfter,
    'log lines of each replica': logged.join(' '),
  });
  assert.deepEqual(tally(failures(answers)), {}, 'no 5xx');
  assert.ok(slowest(answers) < 1_500, 'nothing hangs');
  assert.ok(median - usual < 0.9 * PATIENCE_MS, 'only a probe waits for Redis, not every request');
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

/** Whether all these replicas count in Redis: on a busy machine one may have lost it for a moment. */
const countTogether = (replicas) =>
  until(async () => {
    const [{ id, value: token }] = await makeTokens(query, 1);
    const left = [];
    for (const { url } of [...replicas, replicas[0]]) left.push(await remaining(url, token));
    const windows = await query('SELECT 1 FROM rate_limit_windows WHERE token_id = $1', [id]);
    return left.at(-1) === 1_000 - left.length && windows.length === 0;
  });

const current = (url, token) => ask(url, '/v1/tokens/current', { token });
const remaining = async (url, token) => Number((await current(url, token)).headers['x-ratelimit-remaining']);

/** Sends that many requests, 50 at a time, and returns how many were admitted. */
async function admitted(url, token, count) {
  const answers = [];
  while (answers.length < count)
    answers.push(...(await Promise.all(Array.from({ length: 50 }, () => current(url, token)))));
  assert.deepEqual(tally(failures(answers)), {});
  return answers.filter(({ status }) => status === 200).length;
}

/** The outages that the tests below have made, each for one of the replicas that they ask. */
let made = 0;

function loseLink(link) {
  made++;
  link.swallow();
  link.silence();
}

/**
 * Runs what must hold while all these replicas count in Redis, except in the outages that it makes. Again if it fails and a replica
 * has lost Redis otherwise, because this machine is busy.
 */
async function undisturbed(t, replicas, run) {
  const others = () => said(OUT, replicas).reduce((sum, count) => sum + count) - made;
  for (let time = 1; ; time++) {
    await countTogether(replicas);
    const before = others();
    try {
      return await run();
    } catch (error) {
      await sleep(100); // a line of the log may arrive after the response
      if (time === 3 || others() === before) throw error;
      t.diagnostic('Redis timed out because this machine is busy. Trying again.');
    } finally {
      ownLink.pass();
      proxy.pass();
    }
  }
}

for (const limit of [200, 1_300])
  test(`Redis admits exactly the ${limit} requests of a token that has this limit`, options, (t) =>
    undisturbed(t, limited, async () => {
      const [{ id, value: token }] = await makeTokens(query, 1);
      await query('UPDATE tokens SET rate_limit = $2 WHERE id = $1', [id, limit]);
      const half = limit / 2 + 50;
      const [one, other] = await Promise.all(limited.map(({ url }) => admitted(url, token, half)));
      assert.equal(one + other, limit);
      assert.equal((await current(limited[0].url, token)).headers['x-ratelimit-limit'], String(limit));
    }),
  );

test('a replica that alone loses Redis goes on from what it last saw, there and back', options, (t) =>
  undisturbed(t, [limited[0], apart], async () => {
    const [{ value: token }, { value: other }] = await makeTokens(query, 2);
    assert.equal(await admitted(limited[0].url, token, 500), 500);
    assert.equal(await admitted(apart.url, token, 100), 100);
    assert.equal(await admitted(apart.url, other, 300), 300);
    const backBefore = apart.output().split(BACK).length;
    loseLink(ownLink);
    assert.equal(await admitted(apart.url, token, 600), 400, 'of 1000 in all');
    assert.equal(await admitted(limited[0].url, token, 600), 400, 'what the others admit is not known');
    assert.equal(await admitted(apart.url, other, 300), 300);
    ownLink.pass();
    await until(() => apart.output().split(BACK).length > backBefore);
    const first = await admitted(apart.url, other, 100);
    const second = await admitted(limited[0].url, other, 500);
    report(t, { 'admitted after the return': `${first} + ${second}` });
    assert.equal(first + second, 400, 'of 1000 in all');
  }),
);

test('of replicas that lose Redis, none lowers the count of another', options, (t) =>
  undisturbed(t, [limited[0], apart], async () => {
    const [{ value: token }] = await makeTokens(query, 1);
    assert.equal(await admitted(apart.url, token, 100), 100);
    assert.equal(await admitted(limited[0].url, token, 500), 500);
    loseLink(ownLink);
    loseLink(proxy);
    assert.equal(await remaining(limited[0].url, token), 399);
    assert.equal(await remaining(apart.url, token), 398, 'which has seen 100 of 601');
    const first = await admitted(apart.url, token, 200);
    const second = await admitted(limited[0].url, token, 250);
    assert.equal(first + second, 398);
  }),
);

test('what a replica saw of a window does not count in a later one', options, (t) =>
  undisturbed(t, [apart], async () => {
    const [{ id, value: token }] = await makeTokens(query, 1);
    // Windows with an earlier start, instead of waits for their ends.
    const windowInRedis = (agoMs, hits) =>
      redis.command(`HSET ums:rate-limit:${id} startedAt ${Date.now() - agoMs} hits ${hits}`);
    await windowInRedis(45_000, 0);
    assert.equal(await admitted(apart.url, token, 100), 100);
    await windowInRedis(0, 5);
    assert.equal(await remaining(apart.url, token), 994);
    await windowInRedis(45_000, 0);
    assert.equal(await admitted(apart.url, token, 50), 50);
    const now = Date.now();
    await query(
      `INSERT INTO rate_limit_windows (organization_id, token_id, started_ms, hits, counted_ms)
       SELECT organization_id, id, $2, 20, $2 FROM tokens WHERE id = $1`,
      [id, now],
    );
    loseLink(ownLink);
    assert.equal(await remaining(apart.url, token), 979);
  }),
);

/** An outage of both replicas. */
async function restart() {
  made += 2;
  await redis.kill();
  await redis.start();
}

for (const [name, fault, most] of [
  // What the other replica counted after each had last seen the window: at most what is in flight.
  ['flushed', () => redis.command('FLUSHALL'), 1_100],
  // Until both replicas are back, one counts in Redis and one in PostgreSQL, each at most the 500 that are left.
  ['killed and restarted', restart, 1_600],
]) {
  test(`Redis ${name} in mid-window admits at most ${most} requests`, options, (t) =>
    undisturbed(t, limited, async () => {
      const [{ value: token }] = await makeTokens(query, 1);
      const answers = [];
      for (let wave = 0; wave < 60; wave++) {
        const asked = Array.from({ length: 50 }, (_, i) => current(limited[i % 2].url, token));
        if (wave === 10) await fault();
        answers.push(...(await Promise.all(asked)));
      }
      const count = answers.filter(({ status }) => status === 200).length;
      report(t, { requests: answers.length, answers: tally(answers), admitted: count });
      assert.deepEqual(tally(failures(answers)), {});
      assert.ok(count >= 1_000 - 50 && count <= most, 'a request in flight at the break may count twice');
    }),
  );
}
