// Measures the feed of one organization: `node bench/events.mjs [--events 1000000] [--unnumbered 100000] [--rounds 200]`. Prints
// medians and maxima of pages at its beginning, in its middle and at its end, and of readers while many events wait for a number.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startPostgres } from '../scripts/postgres.mjs';
import { SERVICE, startServer } from './server.mjs';

const require = createRequire(import.meta.url);
const { newTokenValue, hashOf, hintOf } = require('../dist/src/tokens/token-value.js');
const { newId } = require('../dist/src/database/id.js');
const { encodeCursor } = require('../dist/src/pages/cursor.js');

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    unnumbered: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '200' },
  },
});
const [events, unnumbered, rounds] = [values.events, values.unnumbered, values.rounds].map(Number);
const say = (text) => process.stdout.write(`${text}\n`);

const directory = mkdtempSync(join(tmpdir(), 'ums-events-'));
const postgres = await startPostgres(directory);
const url = await postgres.createDatabase('ums_events');
const server = await startServer(SERVICE, url);
const client = new pg.Client(url);
await client.connect();

const [organization, token] = [newId('org'), newTokenValue()];
const insert = (count, prefix, sequence) =>
  client.query(
    `INSERT INTO events (organization_id, id, sequence, type, source, actor_name, target_id, data)
     SELECT $1, 'evt_' || $3 || n, ${sequence}, 'user.updated', 'application', 'application',
       'usr_' || lpad((n % 10000)::text, 26, '0'), '{"user":{"name":"Ada Lovelace","email":"ada@example.com","role":"admin"},"previous":{"role":"member"}}'
     FROM generate_series(1, $2::int) AS n`,
    [organization, count, prefix],
  );
const page = async (query) => {
  const started = performance.now();
  const response = await fetch(`${server.url}/api/v1/events?limit=50&${new URLSearchParams(query)}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const body = await response.json();
  if (response.status !== 200) throw new Error(JSON.stringify(body));
  return { ...body, ms: performance.now() - started };
};
const report = (name, times) => {
  const sorted = [...times].sort((a, b) => a - b);
  const [median, slowest] = [sorted[sorted.length >> 1], sorted.at(-1)].map((ms) => ms.toFixed(1));
  say(`| ${name} | ${median} | ${slowest} |`);
};
const measure = async (name, query) => {
  const times = [];
  for (let i = 0; i < rounds; i++) times.push((await page(query)).ms);
  report(name, times);
};

try {
  await client.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Bench')`, [organization]);
  await client.query(
    `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes) VALUES ($1, $2, 'Bench', $3, $4, '{admin}')`,
    [newId('tok'), organization, hashOf(token), hintOf(token)],
  );
  await insert(events, 'old', 'n');
  await client.query('INSERT INTO event_heads (organization_id, sequence) VALUES ($1, $2)', [
    organization,
    events,
  ]);
  say('| page of 50 | median ms | slowest ms |\n|---|---|---|');
  for (const statistics of ['not fresh', 'fresh']) {
    if (statistics === 'fresh') await client.query('VACUUM ANALYZE events');
    await measure(`first, statistics ${statistics}`, {});
    await measure(`newest, statistics ${statistics}`, { order: 'desc' });
    await measure(`one user, statistics ${statistics}`, { target: `usr_${'77'.padStart(26, '0')}` });
  }
  let { nextCursor } = await page({ order: 'desc' });
  for (let i = 0; i < 100; i++) ({ nextCursor } = await page({ order: 'desc', cursor: nextCursor }));
  await measure('5,000 before the newest', { order: 'desc', cursor: nextCursor });

  // Somebody who has read everything so far, and somebody who opens the list.
  const end = encodeCursor([String(events)], ['events', organization, 'asc', {}]);
  for (const [name, query] of [
    ['next', { cursor: end }],
    ['newest', { order: 'desc' }],
  ]) {
    await insert(unnumbered, name, 'NULL');
    const times = [];
    for (let waits = true; waits;) {
      times.push((await page(query)).ms);
      const sql =
        'SELECT EXISTS (SELECT FROM events WHERE organization_id = $1 AND sequence IS NULL) AS waits';
      [{ waits }] = (await client.query(sql, [organization])).rows;
    }
    report(`${name}, while ${unnumbered} events wait for their number (${times.length} requests)`, times);
  }
} finally {
  await client.end();
  server.process.kill('SIGTERM');
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
