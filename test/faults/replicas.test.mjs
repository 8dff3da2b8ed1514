// What holds across several replicas.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeTokens, startReplicas, stop, UNLIMITED } from './cluster.mjs';
import { ask, tally } from './load.mjs';
import { newDirectory, report, SHORT } from './scene.mjs';
import { startPostgres } from './servers.mjs';

let directory;
let postgres;
let env;
let query;

before(async () => {
  directory = newDirectory();
  postgres = await startPostgres(directory);
  env = { DATABASE_URL: await postgres.createDatabase('ums') };
  query = (sql, values) => postgres.query(sql, values, env.DATABASE_URL);
});
after(() => postgres.stop());

/** Runs a test on its own replicas. */
async function onReplicas(count, more, run) {
  const replicas = await startReplicas(count, { ...env, ...more });
  try {
    await run(replicas);
  } finally {
    await stop(replicas);
  }
}

/** Runs `count` tasks, at most `atOnce` of them concurrently. */
async function many(count, atOnce, task) {
  const results = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) {
        const i = next++;
        results[i] = await task(i);
      }
    }),
  );
  return results;
}

test('every replica rejects a revoked token from the next request on', (t) =>
  onReplicas(4, UNLIMITED, async (replicas) => {
    const ROUNDS = SHORT ? 20 : 205;
    const TRIES = 100;
    const tokens = await makeTokens(query, ROUNDS, ['users:read']);
    const tries = [];
    for (const [round, { id, value }] of tokens.entries()) {
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
  }));

const ROUTES = [
  ['GET', '/api/v1/users'],
  ['GET', '/api/v1/users/search?q=ada'],
  ['GET', '/v1/tokens/current'],
  ['GET', '/api/v1/tokens?limit=1'],
  ['GET', '/api/v1/users/nobody'],
  ['POST', '/api/v1/users', {}],
  ['PATCH', '/api/v1/users/nobody', {}],
  ['DELETE', '/api/v1/users/nobody'],
  ['POST', '/v1/tokens', { name: '' }],
];

/** Exceeds the limit of a new token, across all replicas and routes. */
async function flood(t, replicas) {
  const [{ value: token }] = await makeTokens(query, 1);
  const answers = await many(5_000, 64, (i) => {
    const [method, path, body] = ROUTES[i % ROUTES.length];
    return ask(replicas[(i >> 1) % 4].url, path, { method, body, token });
  });
  const admitted = answers.filter(({ status }) => status !== 429);
  const remaining = admitted.map(({ headers }) => Number(headers['x-ratelimit-remaining']));
  const resets = new Set(answers.map(({ headers }) => headers['x-ratelimit-reset'])).size;
  const different = new Set(remaining).size;
  report(t, { answers: tally(answers), admitted: admitted.length, 'distinct remaining values': different });
  return { remaining: remaining.sort((a, b) => b - a), resets };
}

const EACH_ONCE = { remaining: Array.from({ length: 1_000 }, (_, i) => 999 - i), resets: 1 };

test('exactly 1000 of 5,000 requests of a token are admitted', (t) =>
  onReplicas(4, {}, async (replicas) => {
    assert.deepEqual(await flood(t, replicas), EACH_ONCE);
  }));

test('concurrent creates with spellings of the same email create one user', (t) =>
  onReplicas(3, UNLIMITED, async (replicas) => {
    const CREATES = SHORT ? 2_000 : 20_000;
    const wide = (letter) => String.fromCodePoint(letter.codePointAt(0) + 0xfee0); // equal after NFKC
    const spell = (i) => {
      const name = [...'grace'].map((letter, j) => ((i >> j) & 1 ? letter.toUpperCase() : letter));
      if ((i >> 5) & 1) name[0] = wide(name[0]);
      return `${' '.repeat((i >> 6) & 1)}${name.join('')}@${(i >> 7) & 1 ? 'EXAMPLE.com' : 'example.com'}`;
    };
    const answers = await many(CREATES, 64, (i) =>
      ask(replicas[i % 3].url, '/api/v1/users', {
        method: 'POST',
        body: { name: `Grace ${i}`, email: spell(i) },
      }),
    );
    const [{ rows }] = await query(
      `SELECT count(*)::int AS rows FROM users WHERE email_key = 'grace@example.com'`,
    );
    report(t, { answers: tally(answers), rows });
    assert.deepEqual(tally(answers), { 201: 1, 409: CREATES - 1 });
    assert.equal(rows, 1);
  }));

test('the other replicas immediately read what one replica has created', (t) =>
  onReplicas(4, UNLIMITED, async (replicas) => {
    const COUNT = SHORT ? 100 : 500;
    const answers = await many(COUNT, 8, async (i) => {
      const replica = (offset) => replicas[(i + offset) % 4].url;
      const email = `at-once-${i}@example.com`;
      const body = { name: 'Ada', email };
      const { status, text } = await ask(replica(0), '/api/v1/users', { method: 'POST', body });
      assert.equal(status, 201);
      const { id } = JSON.parse(text);
      const got = await ask(replica(1), `/api/v1/users/${id}`);
      const listed = await ask(replica(2), `/api/v1/users?email=${email}`);
      const found = await ask(replica(3), `/api/v1/users/search?q=${email}`);
      const same = [got.text, JSON.stringify(JSON.parse(listed.text).data[0])].every((read) => read === text);
      return { status: same && JSON.parse(found.text).data[0]?.id === id ? 'read' : 'missed' };
    });
    report(t, { creates: COUNT, answers: tally(answers) });
    assert.deepEqual(tally(answers), { read: COUNT });
  }));
