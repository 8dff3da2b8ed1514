// What the programs share: their options, and the sides that they compare. Each side is a server on a database of its
// own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { makeCluster, serverAt } from '../scripts/postgres.mjs';
import { createOrganizations, fill } from './fill.mjs';

/** The users of the organization that alone is in stale statistics. */
const OTHERS = 10_000;

/** How PostgreSQL's own upkeep has left the database, as the statement that runs before each round. */
export const STATES = {
  unvacuumed: '', // and with statistics of another organization alone
  stale: 'VACUUM', // with statistics of another organization alone
  fresh: 'VACUUM ANALYZE',
  none: `
    DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace);
    UPDATE pg_class SET reltuples = -1 WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')`,
};

export const progress = (text) => process.stderr.write(`${text}\n`);
export const say = (text) => process.stdout.write(`${text}\n`);

const undo = [];
export const undoLater = (end) => void undo.push(end);

/** Runs a program with its options, and stops what it has started. An option is a number if its default is one. */
export async function program(defaults, run) {
  const options = { ...defaults };
  const types = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' }]));
  for (const [name, text] of Object.entries(parseArgs({ options: types }).values))
    options[name] = typeof defaults[name] === 'number' ? positive(name, text) : text;
  if (!['fresh', 'stale', 'unvacuumed', undefined].includes(options.state))
    throw new Error('--state is fresh, stale or unvacuumed');
  process.once('SIGINT', () => stopAll().then(() => process.exit(130)));
  try {
    await run(options);
  } finally {
    await stopAll();
  }
}

function positive(name, text) {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new Error(`--${name} is a positive number`);
}

/** Ends everything that has been started, latest first. */
async function stopAll() {
  for (let end = undo.pop(); end; end = undo.pop())
    try {
      await end();
    } catch (error) {
      progress(`not stopped: ${error.message}`);
    }
}

const SERVICE = { name: 'service', args: ['dist/src/cli.js', 'start', '--json'], cwd: resolve('.') };

/** This build of the service and, if its worktree is given, an earlier one. */
export function builds({ before }) {
  if (!before) return [SERVICE];
  if (!existsSync(join(before, 'dist/src/cli.js'))) throw new Error(`${before} has not been built`);
  return [SERVICE, { ...SERVICE, name: 'before', cwd: resolve(before) }];
}

/** Hand-written Express, on the tables of the service. */
export const express = { name: 'Express', isExpress: true, args: ['bench/express.mjs'] };

export function temporaryDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'ums-bench-'));
  undoLater(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export async function startPostgres(directory, settings) {
  const cluster = await makeCluster(directory, settings);
  undoLater(() => cluster.stop());
  return {
    url: cluster.url,
    pids: () => [cluster.pid()],
    createDatabase: serverAt(cluster.url).createDatabase,
    stop: () => cluster.stop(),
  };
}

/** A new server. Its statistics change only on request, and no background work disturbs a measurement. */
export const newPostgres = () =>
  startPostgres(temporaryDirectory(), {
    autovacuum: 'off',
    shared_buffers: '1GB',
    maintenance_work_mem: '512MB',
  });

/** Starts a server on a free port, with a rate limit too high to matter. */
async function startServer({ args, cwd }, databaseUrl, variables = {}) {
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
      ...variables,
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

/** A connection that is closed at the end. */
export async function connect(databaseUrl) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  undoLater(() => client.end());
  return client;
}

/** Starts a server, which migrates its database, and connects to the database. */
export async function serve(side, databaseUrl, postgresPids, variables) {
  const server = await startServer(side, databaseUrl, variables);
  const client = await connect(databaseUrl);
  return { ...side, ...server, databaseUrl, postgresPids, client, created: [] };
}

/** Opens each side on a new database of one PostgreSQL, all with the same organizations and users. */
export async function openSides(sides, options) {
  const postgres = await newPostgres();
  const opened = [];
  for (const [i, side] of sides.entries())
    opened.push(await openSide(side, await postgres.createDatabase(`bench_${i}`), postgres.pids, options));
  return opened;
}

export async function openSide(side, databaseUrl, postgresPids, { organizations, users, state }) {
  const filling = await serve(side.isExpress ? SERVICE : side, databaseUrl, postgresPids);
  const { client, url } = filling;
  if (state !== 'fresh') {
    await fill(url, await createOrganizations(client, 1), () => OTHERS);
    await client.query('ANALYZE');
  }
  const tenants = await createOrganizations(client, organizations);
  const people = await fill(url, tenants, () => Math.ceil(users / organizations));
  progress(`${side.name}: ${people.length} users in ${organizations} organizations`);
  const filled = { organizations: tenants, users: people };
  // A process that has not done the work of filling.
  await filling.stop();
  const variables = await side.variablesOf?.(tenants);
  return { ...filling, ...side, ...(await startServer(side, databaseUrl, variables)), ...filled };
}
