// Compares a Citus cluster with plain PostgreSQL on the same machine, in alternating rounds: `node bench/citus.mjs [--rounds 5]
// [--seconds 3] [--organizations 100] [--connections 64]`. Prints the medians, the median of the rounds' ratios, and how many
// statements the workers get for a request under this load. All servers share the machine's cores, so a ratio below 1 is expected.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { runOn, startCitus } from '../scripts/citus.mjs';
import { makeCluster, serverAt } from '../scripts/postgres.mjs';
import { isControl, LOGGING, logOf, statementsIn } from '../test/citus/statements.mjs';
import { load, request } from './http-load.mjs';
import { NODE, SERVICE, startServer } from './server.mjs';

const require = createRequire(import.meta.url);
const { newTokenValue, hashOf, hintOf } = require('../dist/src/tokens/token-value.js');
const { newId } = require('../dist/src/database/id.js');
const { person } = require('../dist/src/demo/people.js');

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    organizations: { type: 'string', default: '100' },
    connections: { type: 'string', default: '64' },
  },
});
const [rounds, seconds, organizations, connections] = [
  values.rounds,
  values.seconds,
  values.organizations,
  values.connections,
].map(Number);
const USERS_PER_ORGANIZATION = 50;
const BASE = '/api/v1/users';
const say = (text) => process.stdout.write(`${text}\n`);

const directories = ['plain', 'cluster'].map((name) => mkdtempSync(join(tmpdir(), `ums-bench-${name}-`)));
const plain = await makeCluster(directories[0]);
const cluster = await startCitus(directories[1], LOGGING);
const workers = cluster.nodes.slice(1);

/** Fills a database and starts the service on it; returns the requests of each operation. */
async function open(url, commands) {
  for (const command of commands)
    execFileSync(NODE, ['dist/src/cli.js', command], {
      env: { ...process.env, DATABASE_URL: url },
      stdio: 'pipe', // part of the error if it fails
    });
  const client = new pg.Client(url);
  await client.connect();
  const tenants = Array.from({ length: organizations }, () => ({
    id: newId('org'),
    token: newTokenValue(),
    users: [],
  }));
  for (const { id, token } of tenants) {
    await client.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Bench')`, [id]);
    await client.query(
      `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes) VALUES ($1, $2, 'Bench', $3, $4, '{admin}')`,
      [newId('tok'), id, hashOf(token), hintOf(token)],
    );
  }
  const server = await startServer(SERVICE, url);
  let made = 0;
  let turn = 0;
  const tenant = () => tenants[turn++ % tenants.length];
  const ofUser = (make) => () => {
    const { token, users } = tenant();
    return make(token, `${BASE}/${users[Math.floor(Math.random() * users.length)]}`);
  };
  const create = () => {
    const { name, email, role, metadata } = person(made++);
    return request('POST', BASE, { token: tenant().token, body: { name, email, role, metadata } });
  };
  const operations = {
    'read one': ofUser((token, path) => request('GET', path, { token })),
    'list 50': () => request('GET', `${BASE}?limit=50`, { token: tenant().token }),
    create,
    'PATCH a role': ofUser((token, path) =>
      request('PATCH', path, { token, body: { role: ['admin', 'member', 'viewer'][made++ % 3] } }),
    ),
    'PATCH a name': ofUser((token, path) =>
      request('PATCH', path, { token, body: { name: person(made++).name } }),
    ),
  };
  let left = organizations * USERS_PER_ORGANIZATION;
  await load(server.url, () => (left-- > 0 ? create() : undefined), { connections, seconds: 600 });
  for (const one of tenants) {
    const sql = `SELECT id FROM users WHERE organization_id = $1`;
    one.users = (await client.query(sql, [one.id])).rows.map(({ id }) => id);
  }
  await client.query('VACUUM ANALYZE users');
  await client.end();
  return { server, operations };
}

async function measure({ server, operations }, name) {
  const {
    count,
    seconds: took,
    statuses,
  } = await load(server.url, operations[name], { connections, seconds });
  const odd = Object.keys(statuses).filter((status) => !/^2/.test(status));
  if (odd.length > 0) say(`unexpected statuses: ${JSON.stringify(statuses)}`);
  return { rate: count / took, count };
}

/** Statements that the workers get for a request: those that do something, and those that begin or end a transaction. */
async function statementsPerRequest(build, name) {
  const set = (value) =>
    Promise.all(
      workers.map(({ url }) =>
        runOn(url, `ALTER SYSTEM SET log_statement = '${value}'`, 'SELECT pg_reload_conf()'),
      ),
    );
  const from = workers.map((worker) => logOf(worker).length);
  await set('all');
  const { count } = await measure(build, name);
  await set('none');
  const sent = workers.flatMap((worker, i) => statementsIn(logOf(worker).slice(from[i])));
  const control = sent.filter(isControl).length;
  return [sent.length - control, control].map((number) => (number / count).toFixed(2));
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

const running = [];
try {
  const one = await open(await serverAt(plain.url).createDatabase('bench'), ['migrate']);
  running.push(one);
  const several = await open(await cluster.createDatabase('bench'), ['migrate', 'distribute']);
  running.push(several);
  const names = Object.keys(one.operations);
  const results = new Map(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of names) {
      const order = round % 2 ? [one, several] : [several, one];
      const measured = new Map();
      for (const build of order) measured.set(build, (await measure(build, name)).rate);
      results.get(name).push([measured.get(one), measured.get(several)]);
    }
  say('| request | PostgreSQL /s | cluster /s | ratio | statements for a request | BEGIN, COMMIT |');
  say('|---|---|---|---|---|---|');
  for (const [name, pairs] of results) {
    const [before, now] = [0, 1].map((i) => Math.round(median(pairs.map((pair) => pair[i]))));
    const ratio = median(pairs.map(([plain, distributed]) => distributed / plain)).toFixed(2);
    say(`| ${[name, before, now, ratio, ...(await statementsPerRequest(several, name))].join(' | ')} |`);
  }
} finally {
  for (const { server } of running) server.process.kill('SIGKILL');
  await plain.stop();
  await cluster.stop();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
}
