// Fills a database with millions of users, and measures the service in it: reads one at a time, with fresh statistics
// and without any, then writes. The database stays in its folder; a run continues what an interrupted one has begun.
//   node bench/scale.mjs --folder <path> [--organizations 1] [--users 3000000] [--terms 300] [--callers 16]
//     [--rounds 3] [--seconds 5]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { compare } from './compare.mjs';
import { BASE, createOrganizations, fill } from './fill.mjs';
import { create, deleteUser, list, patchName, patchRole, readOne, searches } from './operations.mjs';
import { cpuOf } from './process.mjs';
import { builds, program, say, serve, startPostgres } from './scene.mjs';

const { encodeCursor } = createRequire(import.meta.url)('../dist/src/platform/pages/cursor.js');

/** Those of a server with 8 GB; autovacuum and crash safety are on. */
const SETTINGS = {
  fsync: 'on',
  shared_buffers: '2GB',
  maintenance_work_mem: '512MB',
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
};
const PIECE = 500_000;
const LIMIT = 50;
const SORTS = {
  createdAt: { order: 'desc', keys: ['created_at', 'id'] },
  updatedAt: { order: 'desc', keys: ['updated_at', 'id'] },
  name: { order: 'asc', keys: ['name_key', 'name', 'id'] },
  email: { order: 'asc', keys: ['email_key'] },
};

const defaults = {
  folder: '',
  organizations: 1,
  users: 3_000_000,
  terms: 300,
  callers: 16,
  rounds: 3,
  seconds: 5,
};

await program(defaults, async (options) => {
  if (!options.folder) throw new Error('--folder is missing');
  const side = await open(options);
  await fillUp(side, options.users);
  await saySizes(side);
  side.users = await sampleOf(side);
  const [largest] = side.organizations;
  // Large organizations get more requests, as in real use.
  side.organizations = side.users.map(({ organization }) => organization);
  const reads = [readOne, list, ...(await pagesOf(side, largest)), ...searches([side], options.terms)];
  const oneByOne = { ...options, callers: 1 };
  for (const state of ['fresh', 'none']) await compare([side], reads, { ...oneByOne, state });
  await compare([side], [create, patchName, patchRole, deleteUser], { ...options, state: 'fresh' });
});

/** The organizations with their sizes and tokens are in a file beside the database. */
async function open({ folder, organizations }) {
  const directory = resolve(folder);
  const file = join(directory, 'scale.json');
  mkdirSync(directory, { recursive: true });
  const { url, pids, createDatabase } = await startPostgres(directory, SETTINGS);
  const isNew = !existsSync(file);
  const databaseUrl = isNew ? await createDatabase('scale') : url.replace(/postgres$/, 'scale');
  const [service] = builds({});
  const side = await serve(service, databaseUrl, pids);
  side.organizations = isNew
    ? await createOrganizations(side.client, organizations)
    : JSON.parse(readFileSync(file, 'utf8'));
  side.save = () => writeFileSync(file, JSON.stringify(side.organizations));
  side.save();
  return side;
}

/** Fills the organizations in pieces. Their sizes fall with their rank. */
async function fillUp(side, users) {
  const { url, pid, postgresPids, organizations, save } = side;
  const weights = organizations.map((_, rank) => 1 / (rank + 5));
  const all = weights.reduce((sum, weight) => sum + weight);
  const cpu = () => [cpuOf(pid), cpuOf(postgresPids()[0])];
  const size = organizations.reduce((sum, one) => sum + one.size, 0);
  say('| users | a second | CPU of Node, µs | of PostgreSQL |\n|---|---|---|---|');
  for (let from = size; from < users; from += PIECE) {
    const to = Math.min(users, from + PIECE);
    const before = { at: performance.now(), cpu: cpu() };
    const sizes = new Map(organizations.map((one, rank) => [one, Math.round((to * weights[rank]) / all)]));
    const made = await fill(url, organizations, (one) => sizes.get(one));
    save();
    const seconds = (performance.now() - before.at) / 1000;
    const each = cpu().map((now, i) => Math.round(((now - before.cpu[i]) / made.length) * 1e6));
    say(`| ${[to, Math.round(made.length / seconds), ...each].join(' | ')} |`);
  }
}

async function saySizes({ client }) {
  const { rows } = await client.query(`
    SELECT relname AS name, pg_table_size(oid)::float AS bytes, (SELECT count(*)::int FROM users) AS users
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i') ORDER BY bytes DESC`);
  rows.push({ ...rows[0], name: 'all', bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) });
  say('\n| table or index | GB | bytes a user |\n|---|---|---|');
  for (const { name, bytes, users } of rows)
    if (bytes / users >= 10)
      say(`| ${name} | ${(bytes / 1024 ** 3).toFixed(2)} | ${Math.round(bytes / users)} |`);
}

async function sampleOf({ client, organizations }) {
  const byId = new Map(organizations.map((organization) => [organization.id, organization]));
  const { rows } = await client.query(
    'SELECT organization_id, id, role FROM users ORDER BY random() LIMIT 20000',
  );
  return rows.map(({ organization_id, id, role }) => ({ id, role, organization: byId.get(organization_id) }));
}

/** The first and the last full page of the largest organization in each order, and a page of few roles. */
async function pagesOf({ client }, largest) {
  const page = (name, query) => ({
    name,
    requestOf: () => ({ path: `${BASE}?${query}`, organization: largest }),
  });
  const pages = [page('first page, role=admin', 'role=admin')];
  for (const [sort, { order, keys }] of Object.entries(SORTS)) {
    const reverse = order === 'asc' ? 'DESC' : 'ASC';
    const { rows } = await client.query(
      `SELECT ${keys.join(', ')} FROM users WHERE organization_id = $1
       ORDER BY ${keys.map((key) => `${key} ${reverse}`).join(', ')} OFFSET ${LIMIT} LIMIT 1`,
      [largest.id],
    );
    const position = keys.map((key) => rows[0][key]);
    const cursor = encodeCursor(position, ['users', largest.id, sort, order, {}]);
    pages.push(
      page(`first page by ${sort}`, `sort=${sort}`),
      page(`last page by ${sort}`, `sort=${sort}&cursor=${cursor}`),
    );
  }
  return pages;
}
