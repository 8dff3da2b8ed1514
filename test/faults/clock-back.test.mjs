// A clock of the database, or of Redis, that was ahead by an hour and has been set back: rows have the times it left.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeTokens, startReplicas, stop } from './cluster.mjs';
import { ask, tally } from './load.mjs';
import { newDirectory } from './scene.mjs';
import { NO_REDIS, startPostgres, startRedis } from './servers.mjs';

const HOUR_MS = 3_600_000;

let postgres;
let redis;
let query;
let onPostgres;
let onRedis;

before(async () => {
  const directory = newDirectory();
  postgres = await startPostgres(directory);
  redis = NO_REDIS ? undefined : await startRedis(directory);
  const DATABASE_URL = await postgres.createDatabase('ums');
  query = (sql, values) => postgres.query(sql, values, DATABASE_URL);
  onPostgres = await startReplicas(2, { DATABASE_URL });
  onRedis = redis ? await startReplicas(2, { DATABASE_URL, REDIS_URL: redis.url }) : [];
});
after(async () => {
  await stop([...onPostgres, ...onRedis]);
  await redis?.stop();
  await postgres.stop();
});

const useOn = async (replicas, token) =>
  tally(await Promise.all(replicas.map(({ url }) => ask(url, '/v1/tokens/current', { token }))));

test('a window in PostgreSQL that was used up then is over', async () => {
  const [{ id, value }] = await makeTokens(query, 1);
  await useOn(onPostgres, value);
  const changed = await query(
    `UPDATE rate_limit_windows SET started_ms = started_ms + $2::integer, hits = 1000 WHERE token_id = $1 RETURNING hits`,
    [id, HOUR_MS],
  );
  assert.equal(changed.length, 1);
  assert.deepEqual(await useOn(onPostgres, value), { 200: 2 });
});

test('a window in Redis, too', { skip: NO_REDIS }, async () => {
  const [{ id, value }] = await makeTokens(query, 1);
  await useOn(onRedis, value);
  const key = `ums:rate-limit:${id}`;
  await redis.command(`HSET ${key} hits 1000 startedAt ${Date.now() + HOUR_MS}`);
  await redis.command(`PERSIST ${key}`);
  assert.deepEqual(await useOn(onRedis, value), { 200: 2 });
});
