// Compares batches with single creates of the same users and with COPY: `node bench/batch.mjs [--rounds 3] [--users 10000]
// [--callers 1,16]`. Prints rows a second, and the CPU time of the service and PostgreSQL
// for each row; medians of the rounds. COPY writes the rows of a batch to another organization: into
// `users` alone, and into `users`, `user_search` and `events`, as a batch does.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { makeCluster, serverAt } from '../scripts/postgres.mjs';
import { cpuOf } from './cpu.mjs';

const require = createRequire(import.meta.url);
const { newTokenValue, hashOf, hintOf } = require('../dist/src/tokens/token-value.js');
const { newId } = require('../dist/src/database/id.js');
const { person } = require('../dist/src/demo/people.js');

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    users: { type: 'string', default: '10000' },
    callers: { type: 'string', default: '1,16' },
  },
});
const USERS = Number(values.users);
const PER_BATCH = 500;
const TABLES = ['users', 'user_search', 'events'];

const directory = mkdtempSync(join(tmpdir(), 'ums-batch-'));
chmodSync(directory, 0o777); // the server writes the files of COPY
const cluster = await makeCluster(directory);
const postgres = serverAt(cluster.url, cluster.stop);
const url = await postgres.createDatabase('ums_batch');
const service = spawn(process.execPath, ['dist/src/cli.js', 'start', '--json'], {
  env: {
    PATH: process.env.PATH,
    DATABASE_URL: url,
    PORT: '0',
    HOST: '127.0.0.1',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    LOG_LEVEL: 'error',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const { port } = new URL(JSON.parse(await new Promise((done) => service.stdout.once('data', done))).url);
const client = new pg.Client(url);
await client.connect();
const agent = new Agent({ keepAlive: true });

async function newOrganization() {
  const [organization, token] = [newId('org'), newTokenValue()];
  await client.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Bench')`, [organization]);
  await client.query(
    `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes) VALUES ($1, $2, 'Bench', $3, $4, '{admin}')`,
    [newId('tok'), organization, hashOf(token), hintOf(token)],
  );
  return { organization, token };
}

const post = (token, path, body) =>
  new Promise((done, fail) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const call = request({ agent, port, host: '127.0.0.1', method: 'POST', path, headers }, (response) => {
      response.resume().on('end', () => (response.statusCode < 300 ? done() : fail(response.statusCode)));
    });
    call.on('error', fail).end(JSON.stringify(body));
  });

/** Rows a second, and CPU microseconds of a row, while `task` writes them. */
async function measure(task) {
  const cpu = () => cpuOf(service.pid) + cpuOf(cluster.pid());
  await client.query('VACUUM ANALYZE');
  const [started, before] = [performance.now(), cpu()];
  await task();
  return { rate: (USERS / (performance.now() - started)) * 1_000, cpu: ((cpu() - before) / USERS) * 1e6 };
}

/** What it takes when so many callers send these bodies. */
async function costOf(callers, path, bodies) {
  const { organization, token } = await newOrganization();
  let next = 0;
  const call = async () => {
    while (next < bodies.length) await post(token, path, bodies[next++]);
  };
  const cost = await measure(() => Promise.all(Array.from({ length: callers }, call)));
  return { ...cost, organization };
}

/** What COPY takes to write the rows of an organization to these tables. */
async function costOfCopy(tables, organization) {
  const { organization: other } = await newOrganization();
  const copies = [];
  for (const table of tables) {
    const { rows } = await client.query(
      `SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1 AND column_name <> ALL ('{organization_id,position,sequence}')
         AND is_generated = 'NEVER'`,
      [table],
    );
    const columns = rows.map(({ name }) => name).join(', ');
    const file = join(directory, table);
    await client.query(
      `COPY (SELECT '${other}', ${columns} FROM ${table} WHERE organization_id = '${organization}') TO '${file}'`,
    );
    copies.push(`COPY ${table} (organization_id, ${columns}) FROM '${file}'`);
  }
  return measure(async () => {
    for (const copy of copies) await client.query(copy);
  });
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const say = (...cells) => process.stdout.write(`| ${cells.join(' | ')} |\n`);

try {
  const people = Array.from({ length: USERS }, (_, n) => person(n));
  const batches = Array.from({ length: USERS / PER_BATCH }, (_, n) => ({
    users: people.slice(n * PER_BATCH, (n + 1) * PER_BATCH),
  }));
  const ways = values.callers.split(',').flatMap((callers) => [
    [`single creates, ${callers} callers`, () => costOf(Number(callers), '/api/v1/users', people)],
    [
      `batches of ${PER_BATCH}, ${callers} callers`,
      () => costOf(Number(callers), '/api/v1/users/batch', batches),
    ],
  ]);
  const costs = new Map();
  const note = (name, cost) => costs.set(name, [...(costs.get(name) ?? []), cost]);
  for (let round = 0; round < Number(values.rounds); round++) {
    let organization;
    for (const [name, measure] of ways) {
      const result = await measure();
      note(name, result);
      ({ organization } = result);
    }
    note('COPY into users', await costOfCopy(TABLES.slice(0, 1), organization));
    note('COPY into users, user_search and events', await costOfCopy(TABLES, organization));
  }
  say('way', 'rows/s', 'CPU µs a row');
  say('---', '---', '---');
  for (const [name, list] of costs) {
    const of = (key) => Math.round(median(list.map((cost) => cost[key])));
    say(name, of('rate'), of('cpu'));
  }
} finally {
  service.kill();
  agent.destroy();
  await client.end();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
