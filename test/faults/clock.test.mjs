// Replicas with wrong clocks.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, askFor, tally } from './load.mjs';
import { makeTokens } from './rows.mjs';
import { report } from './run.mjs';
import { openScene } from './scene.mjs';

const skip = spawnSync('faketime', ['--version']).error ? 'faketime is not installed' : false;
const HOURS = 3;
const DAY_MS = 24 * 3_600_000;

/** Starts a replica whose clock is right, one that is ahead, and one that is behind. */
async function openWrongClocks(t) {
  const scene = await openScene({ t });
  // Preload the library directly: the faketime program would be a process between this one and the replica.
  const options = { encoding: 'utf8' };
  const LD_PRELOAD = execFileSync('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD'], options).trim();
  for (const hours of [`+${HOURS}`, `-${HOURS}`])
    await scene.start({ LD_PRELOAD, FAKETIME: `${hours}h`, FAKETIME_DONT_FAKE_MONOTONIC: '1' });
  return scene;
}

const near = (time, expected = Date.now()) =>
  assert.ok(Math.abs(new Date(time) - expected) < 60_000, `${time} is not ${new Date(expected)}`);
const json = (url, path, method, body) => askFor(url, path, { method, body });

test('token expiry, rate limit windows and timestamps use the clock of the database', { skip }, async (t) => {
  const { replicas, query } = await openWrongClocks(t);
  const figures = { replicas: replicas.length };
  for (const { url } of replicas) {
    const answer = await ask(url, '/livez', { token: '' });
    const hours = Math.round((Date.parse(answer.headers.date) - Date.now()) / 3_600_000);
    figures['hours off'] = `${figures['hours off'] ?? ''} ${hours}`;

    const email = `clock-${performance.now()}@example.com`;
    const user = await json(url, '/api/v1/users', 'POST', { name: 'Ada', email });
    near(user.createdAt);
    const changed = await json(url, `/api/v1/users/${user.id}`, 'PATCH', { role: 'viewer' });
    near(changed.updatedAt);
    assert.ok(changed.updatedAt >= user.createdAt);

    const day = { name: 'Day', scopes: ['users:read'], expiresIn: '1d' };
    const made = await json(url, '/v1/tokens', 'POST', day);
    near(made.createdAt);
    near(made.expiresAt, Date.now() + DAY_MS);
    const rotated = await json(url, `/v1/tokens/${made.id}/rotate`, 'POST', { overlap: '1h' });
    near(rotated.expiresAt, Date.now() + DAY_MS);
    near((await json(url, `/v1/tokens/${made.id}`)).expiresAt, Date.now() + DAY_MS / 24);

    const { headers } = await ask(url, '/v1/tokens/current', { token: made.token });
    near(Number(headers['x-ratelimit-reset']) * 1000, Date.now() + 30_000);
  }
  assert.notEqual(figures['hours off'], ' 0 0 0', 'the replicas really have wrong clocks');

  // A token that expires soon is valid on every replica until then, and on none afterwards.
  const [soon] = await makeTokens(query, 1);
  const useAll = () =>
    Promise.all(replicas.map(({ url }) => ask(url, '/v1/tokens/current', { token: soon.value })));
  await query(`UPDATE tokens SET expires_at = now() + interval '4 seconds' WHERE id = $1`, [soon.id]);
  figures['before it expires'] = tally(await useAll());
  await sleep(4_200);
  figures['after it expired'] = tally(await useAll());

  // Replicas whose clocks are six hours apart count in the same window.
  const [{ value: token }] = await makeTokens(query, 1);
  const counted = [];
  for (const { url } of replicas) counted.push((await ask(url, '/v1/tokens/current', { token })).headers);
  const remaining = counted.map((headers) => headers['x-ratelimit-remaining']);
  report(t, { ...figures, remaining: remaining.join(' ') });
  assert.deepEqual(figures['before it expires'], { 200: replicas.length });
  assert.deepEqual(figures['after it expired'], { 401: replicas.length });
  assert.deepEqual(remaining, ['999', '998', '997']);
  assert.equal(new Set(counted.map((headers) => headers['x-ratelimit-reset'])).size, 1);
});
