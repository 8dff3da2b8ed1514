// Measures the cost of a request as the data grows: reading one user among 10,000, 100,000 and a million, with 10, 1,000 and
// 10,000 tokens; and, for every sort, the last page of the largest list compared with its first page and with OFFSET. Writes
// bench/growth.md.
//   node bench/growth.mjs [--rounds 9] [--seconds 1]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { makeCluster, serverAt } from '../scripts/postgres.mjs';
import { cpuOf } from './cpu.mjs';
import { load as fire, request } from './http-load.mjs';
import { load, withoutIndexes } from './load.mjs';
import { NODE, SERVICE, startServer } from './server.mjs';

const require = createRequire(import.meta.url);
const { encodeCursor } = require('../dist/src/pages/cursor.js');
const { newTokenValue, hashOf, hintOf } = require('../dist/src/tokens/token-value.js');
const { newId } = require('../dist/src/database/id.js');
const { pick, random } = require('../dist/src/demo/people.js');

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, seconds: { type: 'string', default: '1' } },
});
const [rounds, seconds] = [values.rounds, values.seconds].map(Number);
const SIZES = [10_000, 100_000, 1_000_000];
const MANY_TOKENS = 10_000;
/** With few tokens, several requests of one token share a turn of the event loop, and their hits are counted together. */
const FEWER_TOKENS = [10, 1_000];
const PAGE = 50;
const next = random(4711);
const progress = (text) => process.stderr.write(`${text}\n`);

const directory = mkdtempSync(join(tmpdir(), 'ums-bench-'));
const postgres = await makeCluster(directory, { shared_buffers: '2GB', maintenance_work_mem: '512MB' });
const servers = [];
try {
  const sites = [];
  for (const users of SIZES) sites.push(await makeSite(users));
  const version = execFileSync(NODE, ['--version']).toString().trim();
  const lines = [
    `64 connections, Node ${version}, ${cpus()[0].model.trim()} × ${cpus().length}; medians of ${rounds} alternating rounds\n`,
    ...(await growth(sites)),
    '',
    ...(await pages(sites.at(-1))),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  writeFileSync('bench/growth.md', `${lines.join('\n')}\n`);
  for (const { client } of sites) await client.end();
} finally {
  for (const { process: child } of servers) child.kill('SIGKILL');
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Starts a service whose database has one organization with that many users, and its tokens. */
async function makeSite(users) {
  const databaseUrl = await serverAt(postgres.url).createDatabase(`users_${users}`);
  const server = await startServer(SERVICE, databaseUrl);
  servers.push(server);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const indexes = ['user_search_organization_id_text_idx'];
  let organization;
  await withoutIndexes(client, indexes, async () => ([organization] = await load(client, users, 1)));
  const tokens = Array.from({ length: MANY_TOKENS }, () => newTokenValue());
  await client.query(
    `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes)
     SELECT id, $1, 'Bench', decode(hash, 'hex'), hint, '{admin}' FROM json_to_recordset($2) AS t (id text, hash text, hint text)`,
    [
      organization,
      JSON.stringify(
        tokens.map((value) => ({
          id: newId('tok'),
          hash: hashOf(value).toString('hex'),
          hint: hintOf(value),
        })),
      ),
    ],
  );
  await client.query('VACUUM ANALYZE');
  const { rows } = await client.query('SELECT id FROM users ORDER BY random() LIMIT 20000');
  progress(`${users} users`);
  return { users, server, client, organization, tokens, ids: rows.map(({ id }) => id) };
}

async function growth(sites) {
  const kinds = [
    ...sites.map((site) => [`${site.users} users`, site, MANY_TOKENS]),
    ...FEWER_TOKENS.map((count) => [`100000 users, ${count} tokens`, sites[1], count]),
  ];
  const results = kinds.map(() => []);
  for (let round = -1; round < rounds; round++) {
    for (const [i, [, { server, tokens, ids }, count]] of kinds.entries()) {
      const few = tokens.slice(0, count);
      const before = [cpuOf(server.process.pid), cpuOf(postgres.pid())];
      const { count: done, seconds: took } = await fire(
        server.url,
        () => request('GET', `/api/v1/users/${pick(next, ids)}`, { token: pick(next, few) }),
        { seconds },
      );
      const [mine, theirs] = [cpuOf(server.process.pid) - before[0], cpuOf(postgres.pid()) - before[1]];
      if (round >= 0) results[i].push([done / took, (mine / done) * 1e6, (theirs / done) * 1e6]);
    }
  }
  const middle = results.map((list) => [0, 1, 2].map((at) => median(list.map((one) => one[at]))));
  const cost = ([, mine, theirs]) => mine + theirs;
  return [
    `| read one, ${MANY_TOKENS} tokens | requests/s | server CPU µs | PostgreSQL CPU µs | CPU relative to the first |`,
    '|---|---|---|---|---|',
    ...kinds.map(
      ([name], i) =>
        `| ${name} | ${middle[i].map((one) => one.toFixed(0)).join(' | ')} | ${(cost(middle[i]) / cost(middle[0])).toFixed(2)} |`,
    ),
  ];
}

/** Times the first page, the last page and OFFSET alternately, one request at a time. */
async function pages({ users, server, client, organization, tokens }) {
  const [token] = tokens;
  const COLUMNS = {
    createdAt: ['created_at', 'id'],
    updatedAt: ['updated_at', 'id'],
    name: ['name_key', 'name', 'id'],
    email: ['email_key'],
  };
  const lines = [
    `| list of ${users}, ${PAGE} per page | first page ms | last page ms | × | OFFSET in SQL ms |`,
    '|---|---|---|---|---|',
  ];
  for (const [sort, columns] of Object.entries(COLUMNS)) {
    for (const order of ['asc', 'desc']) {
      const ordered = columns.map((column) => `${column} ${order}`).join(', ');
      const { rows } = await client.query({
        text: `SELECT ${columns.join(', ')} FROM users WHERE organization_id = $1 ORDER BY ${ordered} OFFSET $2 LIMIT 1`,
        values: [organization, users - PAGE - 1],
        rowMode: 'array',
      });
      const cursor = encodeCursor(rows[0], ['users', organization, sort, order, {}]);
      const path = `/api/v1/users?sort=${sort}&order=${order}&limit=${PAGE}`;
      const ask = async (more) => {
        const startedAt = performance.now();
        const response = await fetch(`${server.url}${path}${more}`, {
          headers: { Authorization: `Bearer ${token}` },
        });
        const { data, nextCursor } = await response.json();
        if (data?.length !== PAGE || (more && nextCursor))
          throw new Error(`unexpected page, status ${response.status}`);
        return performance.now() - startedAt;
      };
      const [first, last, offset] = [[], [], []];
      for (let round = 0; round < rounds * 20; round++) {
        first.push(await ask(''));
        last.push(await ask(`&cursor=${cursor}`));
        if (round % 20 > 0) continue;
        const startedAt = performance.now();
        await client.query(
          `SELECT id, name, email, role, metadata, created_at, updated_at FROM users WHERE organization_id = $1 ORDER BY ${ordered} OFFSET $2 LIMIT ${PAGE}`,
          [organization, users - PAGE],
        );
        offset.push(performance.now() - startedAt);
      }
      const [one, other, skipped] = [first, last, offset].map(median);
      lines.push(
        `| ${sort} ${order} | ${one.toFixed(2)} | ${other.toFixed(2)} | ${(other / one).toFixed(2)} | ${skipped.toFixed(0)} |`,
      );
    }
  }
  return lines;
}

function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
