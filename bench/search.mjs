// Times the search over HTTP on a million users: with statistics of other organizations, with fresh ones and without any. Then
// compares it with ILIKE on the same data, and measures its cost for writes.
//   node bench/search.mjs [--users 1000000] [--organizations 1] [--others 150000] [--terms 500]
// BENCH_DATABASE_URL selects a database to use; its data is kept. Without it, a temporary server is started.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startPostgres } from '../scripts/postgres.mjs';
import { load, withoutIndexes } from './load.mjs';
import { NODE, SERVICE, startServer } from './server.mjs';

const require = createRequire(import.meta.url);
const { person, pick, random } = require('../dist/src/demo/people.js');
const { newTokenValue, hashOf, hintOf } = require('../dist/src/tokens/token-value.js');
const { newId } = require('../dist/src/database/id.js');
const { columnsOf } = require('../dist/src/users/user-columns.js');
const { insertStatement, updateStatement } = require('../dist/src/users/writes/user-statements.js');

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '1000000' },
    organizations: { type: 'string', default: '1' },
    others: { type: 'string', default: '150000' },
    terms: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [users, organizations, others, terms, seed] = [
  values.users,
  values.organizations,
  values.others,
  values.terms,
  values.seed,
].map(Number);
const progress = (text) => process.stderr.write(`${text}\n`);
const say = (text) => process.stdout.write(`${text}\n`);

const directory = mkdtempSync(join(tmpdir(), 'ums-bench-'));
const server = process.env.BENCH_DATABASE_URL
  ? undefined
  : await startPostgres(directory, { shared_buffers: '1GB', maintenance_work_mem: '512MB' });
const databaseUrl = process.env.BENCH_DATABASE_URL ?? (await server.createDatabase('bench'));
let service;
try {
  service = await startServer(SERVICE, databaseUrl);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { ids, isNew } = await loaded(client);
  const tokens = await tokensOf(client, ids);
  await compareStatistics(client, tokens, isNew);
  await report(client, ids, tokens);
  await client.end();
} finally {
  service?.process.kill('SIGINT');
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Returns the organizations that have the users; loads them if necessary, after others that the statistics know. */
async function loaded(client) {
  const { rows } = await client.query(
    `SELECT organization_id AS id, count(*)::int AS users FROM users GROUP BY 1`,
  );
  const fitting = rows.filter((row) => row.users === Math.floor(users / organizations));
  if (fitting.length >= organizations) return { ids: fitting.map(({ id }) => id), isNew: false };
  if (others > 0) await load(client, others, 1, progress);
  await client.query('VACUUM ANALYZE');
  let ids;
  const indexes = ['user_search_organization_id_text_idx'];
  const took = await withoutIndexes(
    client,
    indexes,
    async () => (ids = await load(client, users, organizations, progress)),
  );
  progress(`indexes created in ${JSON.stringify(took)} ms`);
  return { ids, isNew: true };
}

async function tokensOf(client, ids) {
  const tokens = [];
  for (const organization of ids.slice(0, 50)) {
    const value = newTokenValue();
    await client.query(
      `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes) VALUES ($1, $2, 'Bench', $3, $4, '{users:read}')`,
      [newId('tok'), organization, hashOf(value), hintOf(value)],
    );
    tokens.push({ organization, value });
  }
  return tokens;
}

async function search({ value }, q, cursor) {
  const started = performance.now();
  const parameters = new URLSearchParams({ q, limit: '20', ...(cursor && { cursor }) });
  const response = await fetch(`${service.url}/api/v1/users/search?${parameters}`, {
    headers: { Authorization: `Bearer ${value}` },
  });
  const body = await response.json();
  return { ms: performance.now() - started, body, status: response.status };
}

/** The statistics that an organization meets: those of others when it has just come, fresh ones, and none at all. */
async function compareStatistics(client, tokens, isNew) {
  const states = {
    ...(isNew && { 'of others': async () => {} }),
    fresh: () => client.query('VACUUM ANALYZE'),
    none: async () => {
      await client.query(
        `DELETE FROM pg_statistic WHERE starelid IN ('users'::regclass, 'user_search'::regclass, 'search_words'::regclass)`,
      );
      await client.query(
        `UPDATE pg_class SET reltuples = -1 WHERE relname IN ('users', 'user_search', 'search_words')`,
      );
    },
  };
  const results = {};
  for (const [state, prepare] of Object.entries(states)) {
    await prepare();
    const next = random(seed); // the same terms each time
    for (const [kind, term] of Object.entries(kinds(next))) {
      const ms = [];
      for (let n = 0; n < Math.max(20, terms / 10); n++) {
        const q = term();
        if ([...q.trim()].length >= 2) ms.push((await search(pick(next, tokens), q)).ms);
      }
      (results[kind] ??= {})[state] = at(ms, 0.5);
    }
  }
  say(`| statistics (p50 ms) | ${Object.keys(states).join(' | ')} |`);
  say(
    `|---|${Object.keys(states)
      .map(() => '---|')
      .join('')}`,
  );
  for (const [kind, of] of Object.entries(results))
    say(
      `| ${kind} | ${Object.keys(states)
        .map((state) => of[state])
        .join(' | ')} |`,
    );
  say('');
  await client.query('VACUUM ANALYZE');
}

/** Kinds of search terms, drawn at random from the existing users. */
function kinds(next) {
  const anybody = () => person(Math.floor(next() * users));
  const wordsOf = (text) =>
    text
      .toLowerCase()
      .split(/[^\p{L}]+/u)
      .filter((word) => word.length >= 4);
  const typo = (word) => {
    const at = 1 + Math.floor(next() * (word.length - 2));
    return word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2);
  };
  const part = (text, length) => {
    const at = Math.floor(next() * Math.max(1, text.length - length));
    return text.slice(at, at + length);
  };
  const letters = (length) => () => part(pick(next, wordsOf(anybody().name).concat('ada')), length);
  return {
    'rare word': () => anybody().metadata.badge,
    'common word': () => pick(next, anybody().name.split(' ')),
    'in nearly every row': () =>
      pick(next, ['com', 'example', 'exam', 'usr', 'ampl', '.com', 'usr_0', 'e.com']),
    'two letters': letters(2),
    'three letters': letters(3),
    typo: () => typo(pick(next, wordsOf(anybody().name).concat('platform'))),
    'two words': () => {
      const [first, ...rest] = anybody().name.split(' ');
      return next() < 0.5 ? `${first} ${rest.at(-1)}` : `${rest.at(-1)} ${first}`;
    },
    'email fragment': () => part(anybody().email, 5 + Math.floor(next() * 8)),
    'metadata value': () => pick(next, [anybody().metadata.city, anybody().metadata.team]),
    'no match': () => Array.from({ length: 7 }, () => pick(next, [...'bcdfghjkqvwxz'])).join(''),
  };
}

async function report(client, ids, tokens) {
  const next = random(seed);
  say(
    `${users} users in ${organizations} organizations, ${terms} terms of each kind, seed ${seed}, Node ${execFileSync(NODE, ['--version']).toString().trim()}, ${cpus()[0].model} × ${cpus().length}\n`,
  );
  say('| terms | p50 ms | p99 ms | max ms | page 100 p99 | 8 concurrent p99 | failed | ILIKE p99 |');
  say('|---|---|---|---|---|---|---|---|');
  for (const [kind, term] of Object.entries(kinds(next))) {
    const drawn = Array.from({ length: terms }, () => [pick(next, tokens), term()]).filter(
      ([, q]) => [...q.trim()].length >= 2,
    );
    const first = [];
    for (const [token, q] of drawn) first.push({ q, token, ...(await search(token, q)) });
    const deep = [];
    for (const { q, token, body } of first.filter((_, i) => i % Math.ceil(terms / 20) === 0)) {
      let cursor = body.nextCursor;
      for (let page = 2; cursor && page < 100; page++)
        cursor = (await search(token, q, cursor)).body.nextCursor;
      if (cursor) deep.push((await search(token, q, cursor)).ms);
    }
    const together = [];
    const queue = [...drawn];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let next_ = queue.pop(); next_; next_ = queue.pop()) together.push((await search(...next_)).ms);
      }),
    );
    const ilike = [];
    for (const [{ organization }, q] of drawn.slice(0, 10)) {
      const started = performance.now();
      await client.query(
        `SELECT id, name, email, role, metadata, created_at, updated_at FROM users WHERE organization_id = $1
         AND (name ILIKE $2 OR email ILIKE $2 OR metadata::text ILIKE $2) ORDER BY name, id LIMIT 20`,
        [organization, `%${q.replace(/[\\%_]/g, '\\$&')}%`],
      );
      ilike.push(performance.now() - started);
    }
    const ms = first.map((answer) => answer.ms);
    const failed = first.filter(({ status }) => status !== 200).length;
    say(
      `| ${[kind, at(ms, 0.5), at(ms, 0.99), at(ms, 1), at(deep, 0.99), at(together, 0.99), failed, at(ilike, 0.99)].join(' | ')} |`,
    );
    const slow = first.filter((answer) => answer.ms > 50).sort((a, b) => b.ms - a.ms);
    if (slow.length > 0)
      process.stderr.write(
        `  slow: ${slow
          .slice(0, 8)
          .map(({ q, ms }) => `${JSON.stringify(q)} ${Math.round(ms)}`)
          .join(', ')}\n`,
      );
  }
  await price(client, ids[0]);
  const { rows } = await client.query(
    `SELECT indexrelname AS index, pg_size_pretty(pg_relation_size(indexrelid)) AS size FROM pg_stat_user_indexes
     WHERE relname IN ('users', 'user_search', 'search_words') ORDER BY pg_relation_size(indexrelid) DESC`,
  );
  say(`\n| index | size |\n|---|---|`);
  for (const { index, size } of rows) say(`| ${index} | ${size} |`);
}

/** Measures writes with and without the search indexes, each in a transaction that is rolled back. */
async function price(client, organization) {
  const dataSource = { options: {} };
  const rates = async () => {
    const rows = Array.from({ length: 1_000 }, (_, n) => ({
      id: newId('usr'),
      version: 1,
      columns: columnsOf({ ...person(5_000_000 + n), role: 'member' }),
    }));
    const started = performance.now();
    for (const row of rows) await client.query(...insertStatement(dataSource, organization, [row]));
    const inserted = performance.now();
    for (const row of rows)
      await client.query(
        ...updateStatement(dataSource, organization, [{ ...row, columns: columnsOf({ role: 'viewer' }) }]),
      );
    const updated = performance.now();
    return [inserted - started, updated - inserted].map((ms) => Math.round(rows.length / (ms / 1000)));
  };
  const attempt = async (prepare) => {
    await client.query('BEGIN');
    await prepare();
    const result = await rates();
    await client.query('ROLLBACK');
    return result;
  };
  await attempt(async () => {}); // warm-up
  const withSearch = await attempt(async () => {});
  const without = await attempt(
    async () => void (await client.query('DROP INDEX user_search_organization_id_text_idx')),
  );
  say(`\n| per second, one at a time | inserts | updates |\n|---|---|---|`);
  say(`| with the search indexes | ${withSearch.join(' | ')} |`);
  say(`| without | ${without.join(' | ')} |`);
}

/** The quantile `part` of the times, to a tenth. */
function at(ms, part) {
  if (ms.length === 0) return '–';
  const sorted = [...ms].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))].toFixed(1);
}
