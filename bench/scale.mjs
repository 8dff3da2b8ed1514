// Loads a database with millions of users, in one organization of a tenth of them, a hundred of a thousandth, and many
// of a hundred users, and measures the service in it: before any VACUUM and after it, each without statistics and with
// fresh ones. The database stays in its folder, for further runs after VACUUM.
//   node bench/scale.mjs --folder <path> [--users 10000000] [--terms 100] [--callers 16] [--rounds 2] [--seconds 2]
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { compare } from './compare.mjs';
import { BASE, createOrganizations } from './fill.mjs';
import { load, sizesOf } from './load.mjs';
import {
  create,
  deleteUser,
  list,
  newPerson,
  patchName,
  patchRole,
  readOne,
  searches,
} from './operations.mjs';
import { builds, program, say, serve, startPostgres, STATES } from './scene.mjs';

const require = createRequire(import.meta.url);
const { encodeCursor } = require('../dist/src/platform/pages/cursor.js');
const { pick } = require('../dist/src/entry/demo/people.js');

/** Those of a server with 8 GB. Crash safety is on; VACUUM and ANALYZE run where a state asks for them. */
const SETTINGS = {
  fsync: 'on',
  autovacuum: 'off',
  shared_buffers: '2GB',
  maintenance_work_mem: '512MB',
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
};
const LOADING = {
  ...SETTINGS,
  fsync: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  maintenance_work_mem: '2GB',
  max_wal_size: '16GB',
};
const LIMIT = 50;
const DELIVERIES = 30;
const SORTS = {
  createdAt: { order: 'desc', keys: ['created_at', 'id'] },
  updatedAt: { order: 'desc', keys: ['updated_at', 'id'] },
  name: { order: 'asc', keys: ['name_key', 'name', 'id'] },
  email: { order: 'asc', keys: ['email_key'] },
};

const feed = {
  name: 'a page of the feed',
  requestOf: ({ organizations }) => ({
    path: `/api/v1/events?order=desc&limit=${LIMIT}`,
    organization: pick(Math.random, organizations),
  }),
};

const defaults = { folder: '', users: 10_000_000, terms: 100, callers: 16, rounds: 2, seconds: 2 };

await program(defaults, async (options) => {
  if (!options.folder) throw new Error('--folder is missing');
  const directory = resolve(options.folder);
  const organizations = await filled(directory, options.users);
  const postgres = await startPostgres(directory, SETTINGS);
  const [service] = builds({});
  const server = await serve(service, postgres.url.replace(/postgres$/, 'scale'), postgres.pids, {
    WEBHOOK_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
  });
  const { client } = server;
  await saySizes(client);
  const sides = await sidesOf(server, organizations);
  const reads = [readOne, list, feed, ...(await pagesOf(sides[0])), ...searches(sides, options.terms)];
  const measure = (title, operations, callers) =>
    compare(sides, operations, { ...options, title, state: 'unvacuumed', callers }); // as it has been left
  if (!(await isVacuumed(client))) {
    await measure('before VACUUM, without statistics', reads, 1);
    await client.query('ANALYZE');
    await measure('before VACUUM, with fresh statistics', reads, 1);
  }
  await client.query(STATES.fresh);
  await measure('after VACUUM, with fresh statistics', reads, 1);
  await client.query(STATES.none);
  await measure('after VACUUM, without statistics', reads, 1);
  await client.query(STATES.fresh);
  for (const callers of [1, options.callers])
    await measure('writes', [create, patchName, patchRole, deleteUser], callers);
  for (const side of sides) await sayDeliveries(side);
});

/** Loads the users, unless an earlier run has. The organizations with their tokens are in a file of the folder. */
async function filled(directory, users) {
  const file = join(directory, 'scale.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  mkdirSync(directory, { recursive: true });
  const postgres = await startPostgres(directory, LOADING);
  const databaseUrl = await postgres.createDatabase('scale');
  const [service] = builds({});
  const { client, stop } = await serve(service, databaseUrl, postgres.pids);
  await stop();
  const sizes = sizesOf(users);
  const organizations = await createOrganizations(client, sizes.length);
  await client.end();
  let first = 0;
  for (const [i, size] of sizes.entries()) {
    Object.assign(organizations[i], { size, first });
    first += size;
  }
  await load(databaseUrl, organizations);
  await postgres.stop();
  writeFileSync(file, JSON.stringify(organizations));
  return organizations;
}

async function saySizes(client) {
  const { rows } = await client.query(`
    SELECT relname AS name, pg_table_size(oid)::float AS bytes, (SELECT count(*)::int FROM users) AS users
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i') ORDER BY bytes DESC`);
  rows.push({ ...rows[0], name: 'all', bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) });
  say('\n| table or index | GB | bytes a user |\n|---|---|---|');
  for (const { name, bytes, users } of rows)
    if (bytes / users >= 1)
      say(`| ${name} | ${(bytes / 1024 ** 3).toFixed(2)} | ${Math.round(bytes / users)} |`);
}

async function isVacuumed(client) {
  const { rows } = await client.query(
    `SELECT relallvisible > 0 AS "isVacuumed" FROM pg_class WHERE oid = 'users'::regclass`,
  );
  return rows[0].isVacuumed;
}

/** The largest organization, and all others by their users: those of a thousandth of all have more requests. */
async function sidesOf(server, organizations) {
  const byId = new Map(organizations.map((organization) => [organization.id, organization]));
  const sampleOf = async (where) => {
    const { rows } = await server.client.query(
      `SELECT organization_id, id, role FROM users TABLESAMPLE SYSTEM (1) WHERE organization_id ${where} $1 LIMIT 20000`,
      [organizations[0].id],
    );
    return rows.map(({ organization_id, id, role }) => ({
      id,
      role,
      organization: byId.get(organization_id),
    }));
  };
  const sideOf = (name, users) => ({
    ...server,
    ...{ name, users, organizations: users.map(({ organization }) => organization), created: [] },
  });
  return [
    sideOf(`${organizations[0].size} users`, await sampleOf('=')),
    sideOf('the others', await sampleOf('<>')),
  ];
}

/** The first page in each order, the last one of the first side, and a page of few roles. */
async function pagesOf(largest) {
  const page = (name, query, isFor) => ({
    name,
    isFor,
    requestOf: (side) => ({
      path: `${BASE}?limit=${LIMIT}&${query}`,
      organization: pick(Math.random, side.organizations),
    }),
  });
  const pages = [page('first page, role=admin', 'role=admin')];
  const [{ id }] = largest.organizations;
  for (const [sort, { order, keys }] of Object.entries(SORTS)) {
    const reverse = order === 'asc' ? 'DESC' : 'ASC';
    const { rows } = await largest.client.query(
      `SELECT ${keys.join(', ')} FROM users WHERE organization_id = $1
       ORDER BY ${keys.map((key) => `${key} ${reverse}`).join(', ')} OFFSET ${LIMIT} LIMIT 1`,
      [id],
    );
    const position = keys.map((key) => rows[0][key]);
    const cursor = encodeCursor(position, ['users', id, sort, order, {}]);
    pages.push(
      page(`first page by ${sort}`, `sort=${sort}`),
      page(`last page by ${sort}`, `sort=${sort}&cursor=${cursor}`, (side) => side === largest),
    );
  }
  return pages;
}

/** The time from the answer to a create to the delivery of its event to a webhook. */
async function sayDeliveries({ name, url, organizations: [{ token }] }) {
  const arrivals = new EventEmitter();
  const receiver = createServer(async (request, response) => {
    const { data } = await json(request);
    response.end();
    arrivals.emit(data.user.id);
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const post = async (path, body) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const address = `http://127.0.0.1:${receiver.address().port}`;
  await post('/api/v1/webhooks', { url: address, types: ['user.created'] });
  const times = [];
  for (let i = 0; i < DELIVERIES; i++) {
    const { id } = await post(BASE, newPerson());
    const answered = performance.now();
    await once(arrivals, id);
    times.push(performance.now() - answered);
  }
  receiver.close();
  times.sort((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((part) => times[Math.floor(part * times.length)].toFixed(1));
  say(`\nwebhook delivery, ${name}: p50 ${p50} ms, p99 ${p99} ms`);
}
