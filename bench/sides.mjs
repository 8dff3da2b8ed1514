// The sides of a comparison: each is a server on its own database, and all are filled identically through the API of a build.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { makeCluster, serverAt } from '../scripts/postgres.mjs';

const require = createRequire(import.meta.url);
const { newTokenValue, hashOf, hintOf } = require('../dist/src/tokens/token-value.js');
const { newId } = require('../dist/src/database/id.js');
const { person } = require('../dist/src/demo/people.js');

export const progress = (text) => process.stderr.write(`${text}\n`);

export const BASE = '/api/v1/users';
const PER_BATCH = 500;
/** The users of the other organization that stale statistics are taken from. */
const OTHERS = 10_000;

const SERVICE = { args: ['dist/src/cli.js', 'start', '--json'], cwd: resolve('.') };
const EXPRESS = { args: [resolve('bench/servers/express.mjs')], isExpress: true };

export const service = { name: 'service', ...SERVICE };

/** Another build of the service, in a worktree where `npm run build` has run; none without a directory. */
export function before(directory) {
  if (!directory) return [];
  if (!existsSync(join(directory, 'dist/src/cli.js'))) throw new Error(`${directory} has not been built`);
  return [{ ...SERVICE, name: 'before', cwd: resolve(directory) }];
}

/** Writes a user with a single statement to a table like that of a small application. */
export const express = { ...EXPRESS, name: 'Express', env: { BENCH_WRITES: 'plain' } };

/** Writes the same rows to the same tables as the service, in transactions of fixed statements. */
export const expressSameWork = { ...EXPRESS, name: 'Express, same work', env: { BENCH_WRITES: 'same-work' } };

const undo = [];
export const undoLater = (end) => void undo.push(end);

/** Ends everything that has been started, latest first. */
export async function stopAll() {
  for (const end of undo.reverse())
    try {
      await end();
    } catch (error) {
      progress(`not stopped: ${error.message}`);
    }
}

export function temporaryDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'ums-bench-'));
  undoLater(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Starts PostgreSQL. Statistics change only on request, and no background work disturbs a measurement. */
export async function startPostgres() {
  const cluster = await makeCluster(temporaryDirectory(), {
    autovacuum: 'off',
    shared_buffers: '1GB',
    maintenance_work_mem: '512MB',
  });
  undoLater(() => cluster.stop());
  return { pids: () => [cluster.pid()], createDatabase: serverAt(cluster.url).createDatabase };
}

/** Starts a server on a free port, with a rate limit too high to matter. */
export async function startServer({ args, cwd, env }, databaseUrl) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      PORT: '0',
      HOST: '127.0.0.1',
      RATE_LIMIT_PER_MINUTE: '1000000000',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  undoLater(stop);
  const line = await Promise.race([once(child.stdout, 'data'), ended.then(() => undefined)]);
  if (!line) throw new Error(`the server did not start: ${args.join(' ')}`);
  child.stdout.resume();
  return { url: JSON.parse(String(line[0])).url, pid: child.pid, stop };
}

/**
 * Opens each side on a new database with these organizations and users. With `statistics: 'stale'`, PostgreSQL has statistics
 * only of an organization that gets no requests.
 */
export async function openSides(sides, { organizations, users, statistics = 'fresh' }) {
  const postgres = await startPostgres();
  const opened = [];
  for (const [i, side] of sides.entries()) {
    const databaseUrl = await postgres.createDatabase(`bench_${i}`);
    opened.push(await openSide(side, databaseUrl, postgres.pids, { organizations, users, statistics }));
  }
  return opened;
}

export async function openSide(side, databaseUrl, postgresPids, { organizations, users, statistics }) {
  const client = new pg.Client(databaseUrl);
  const filling = await startServer(side.isExpress ? service : side, databaseUrl);
  await client.connect();
  undoLater(() => client.end());
  const vacuum = (how = '') => client.query(`VACUUM ${how}`);
  if (statistics === 'stale') {
    await fill(client, filling.url, { organizations: 1, users: OTHERS });
    await vacuum('ANALYZE');
  }
  const filled = await fill(client, filling.url, { organizations, users });
  await filling.stop();
  if (side.env?.BENCH_WRITES === 'plain') await createPlainTable(client);
  if (statistics === 'fresh') await vacuum('ANALYZE');
  const server = await startServer(side, databaseUrl);
  progress(`${side.name}: ${users} users in ${organizations} organizations`);
  return {
    ...side,
    ...filled,
    url: server.url,
    pid: server.pid,
    postgresPids,
    client,
    created: [],
    /** Runs before each round, so that all rounds find the database in the same state. */
    refresh: () => vacuum(statistics === 'fresh' ? 'ANALYZE' : ''),
  };
}

/** Creates organizations of equal size, each with a token. Returns them, and their users in an order that alternates between them. */
export async function fill(client, url, { organizations, users }) {
  const tenants = Array.from({ length: organizations }, () => ({ id: newId('org'), token: newTokenValue() }));
  for (const { id, token } of tenants) {
    await client.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Bench')`, [id]);
    await client.query(
      `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes) VALUES ($1, $2, 'Bench', $3, $4, '{admin}')`,
      [newId('tok'), id, hashOf(token), hintOf(token)],
    );
  }
  const each = Math.ceil(users / organizations);
  const batches = [];
  for (let from = 0; from < each; from += PER_BATCH)
    for (const [i, organization] of tenants.entries()) {
      const length = Math.min(PER_BATCH, each - from);
      // All start as members, so that the first change of a role changes something.
      const people = Array.from({ length }, (_, n) => ({ ...person(i * each + from + n), role: 'member' }));
      batches.push({ organization, people });
    }
  const members = [];
  const next = async () => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      const { organization, people } = batch;
      const { results } = await post(url, organization, `${BASE}/batch`, { users: people, atomic: true });
      for (const { id } of results) members.push({ id, organization, role: 'member' });
    }
  };
  await Promise.all([next(), next(), next(), next()]);
  return { organizations: tenants, users: alternating(members, tenants) };
}

function alternating(members, tenants) {
  const byTenant = new Map(tenants.map((tenant) => [tenant, []]));
  for (const member of members) byTenant.get(member.organization).push(member);
  const lists = [...byTenant.values()];
  return Array.from({ length: lists[0].length }, (_, n) => lists.flatMap((list) => list[n] ?? [])).flat();
}

export const post = async (url, organization, path, body) =>
  JSON.parse(await send(url, organization, 'POST', path, body));

/** Returns the text of the response, and throws if it is not a success. */
export async function send(url, { token }, method, path, body) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return text;
}

/** A copy of the users in a table like that of a small application, for the baseline of single statements. */
async function createPlainTable(client) {
  await client.query(`
    CREATE SCHEMA plain;
    CREATE TABLE plain.users (
      id text PRIMARY KEY, organization_id text NOT NULL REFERENCES organizations, name text NOT NULL, email text NOT NULL,
      role text NOT NULL, active boolean NOT NULL, metadata jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(), updated_at timestamptz(3) NOT NULL DEFAULT now()
    );
    INSERT INTO plain.users SELECT id, organization_id, name, email, role, active, metadata, created_at, updated_at FROM users;
    CREATE UNIQUE INDEX ON plain.users (organization_id, lower(email));
    CREATE INDEX ON plain.users (organization_id, created_at, id)`);
}
