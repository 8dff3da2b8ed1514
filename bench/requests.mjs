// Benchmarks the service against hand-written servers, in alternating rounds on the same Node, PostgreSQL and data.
//   npm run bench [-- --rounds 5 --seconds 2 --users 100000]
// Repeats a measurement if other processes used too much CPU during it. Writes bench/results.md and docs/benchmark.svg.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { transformFileSync } from '@swc/core';
import pg from 'pg';
import { makeCluster, serverAt } from '../scripts/postgres.mjs';
import { chart } from './chart.mjs';
import { busyCpu, cpuOf, residentOf } from './cpu.mjs';
import { load as fire, request } from './http-load.mjs';
import { load } from './load.mjs';
import { NODE, SERVICE, startServer } from './server.mjs';

const require = createRequire(import.meta.url);
const { newTokenValue, hashOf, hintOf } = require('../dist/src/tokens/token-value.js');
const { newId } = require('../dist/src/database/id.js');
const { person, pick, random } = require('../dist/src/demo/people.js');

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    users: { type: 'string', default: '100000' },
    only: { type: 'string' },
  },
});
const [rounds, seconds, users] = [values.rounds, values.seconds, values.users].map(Number);
const ORGANIZATIONS = 10;
const TOKENS = 1_000;
/** Long enough for V8 to optimize the hot code. */
const WARM_UP_SECONDS = 3;
/** Share of the machine's CPU time. If other processes use more, the measurement is repeated. */
const FOREIGN_CPU = 0.1;
const MAX_TRIES = 6;
const progress = (text) => process.stderr.write(`${text}\n`);

const directory = mkdtempSync(join(tmpdir(), 'ums-bench-'));

const SERVERS = {
  'service, PostgreSQL limiter': { args: SERVICE },
  'service, memory limiter': { args: ['bench/servers/service-memory.cjs'] },
  // Shows what the search indexes cost writes. The limiter is in memory.
  'service without search indexes': { args: ['bench/servers/service-memory.cjs'], withoutSearch: true },
  'hand-written Express': { args: ['bench/servers/express.mjs'] },
  // Shows what the indexes for the contract's sort orders and filter cost writes.
  'Express with every sort order': {
    args: ['bench/servers/express.mjs'],
    env: { USERS_TABLE: 'ordered.users' },
    scenarios: ['create', 'PATCH', 'PATCH a number', 'delete'],
  },
  'bare node:http': { args: ['bench/servers/bare.mjs'] },
  'tutorial Nest': { args: [compiledNest()] },
};

const postgres = await makeCluster(directory, { shared_buffers: '1GB' });
const databaseUrl = await serverAt(postgres.url).createDatabase('bench');
const running = new Map();
try {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const data = await fill(client);
  await client.end();
  const withoutSearch = await copyWithoutSearch();
  for (const [name, { args, env, withoutSearch: without }] of Object.entries(SERVERS))
    running.set(
      name,
      await startServer(args, without ? withoutSearch : databaseUrl, { MIGRATE_ON_START: 'false', ...env }),
    );
  const results = await measure(data);
  report(results);
} finally {
  for (const { process: child } of running.values()) child.kill('SIGKILL');
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}

function compiledNest() {
  const { code } = transformFileSync('bench/servers/nest.ts', {
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      target: 'es2023',
    },
    module: { type: 'commonjs' },
  });
  const out = 'dist/bench/nest.cjs';
  mkdirSync('dist/bench', { recursive: true });
  writeFileSync(out, code);
  return out;
}

/** Loads the users into the service's tables, into a table as the baselines would have it, and into one with all sort orders. */
async function fill(client) {
  const migrate = spawn(NODE, ['dist/src/cli.js', 'migrate', '--json'], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
  await once(migrate, 'exit');
  const organizations = await load(client, users, ORGANIZATIONS, progress);
  await client.query(`
    CREATE SCHEMA plain;
    CREATE TABLE plain.users (
      id text PRIMARY KEY, organization_id text NOT NULL REFERENCES organizations, name text NOT NULL, email text NOT NULL,
      role text NOT NULL, metadata jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(), updated_at timestamptz(3) NOT NULL DEFAULT now()
    );
    INSERT INTO plain.users SELECT id, organization_id, name, email, role, metadata, created_at, updated_at FROM users;
    CREATE UNIQUE INDEX ON plain.users (organization_id, lower(email));
    CREATE INDEX ON plain.users (organization_id, created_at, id);

    CREATE SCHEMA ordered;
    CREATE TABLE ordered.users (LIKE plain.users INCLUDING ALL, FOREIGN KEY (organization_id) REFERENCES organizations);
    INSERT INTO ordered.users SELECT * FROM plain.users;
    CREATE INDEX ON ordered.users (organization_id, updated_at, id);
    CREATE INDEX ON ordered.users (organization_id, lower(name), name, id);
    CREATE INDEX ON ordered.users (organization_id, role, created_at, id)`);
  const tokens = [];
  for (let n = 0; n < TOKENS; n++) {
    const value = newTokenValue();
    const organization = organizations[n % ORGANIZATIONS];
    await client.query(
      `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes) VALUES ($1, $2, 'Bench', $3, $4, '{admin}')`,
      [newId('tok'), organization, hashOf(value), hintOf(value)],
    );
    tokens.push({ organization, value });
  }
  await client.query('VACUUM ANALYZE');
  const { rows } = await client.query(`SELECT organization_id, array_agg(id) AS ids FROM users GROUP BY 1`);
  return { tokens, ids: new Map(rows.map((row) => [row.organization_id, row.ids])) };
}

/** Copies the database without the indexes that only the search uses. */
async function copyWithoutSearch() {
  const admin = new pg.Client(postgres.url);
  await admin.connect();
  await admin.query('CREATE DATABASE without_search TEMPLATE bench');
  await admin.end();
  const url = new URL(databaseUrl);
  url.pathname = 'without_search';
  const client = new pg.Client(url.href);
  await client.connect();
  await client.query('DROP INDEX user_search_organization_id_text_idx');
  await client.query('VACUUM ANALYZE');
  await client.end();
  return url.href;
}

async function measure({ tokens, ids }) {
  const next = random(4711);
  let made = 0;
  const anyToken = () => pick(next, tokens);
  const ofAny = (make) => () => {
    const { organization, value } = anyToken();
    return make(value, () => pick(next, ids.get(organization)));
  };
  const BASE = '/api/v1/users';
  const get = (path) => (token) => request('GET', path, { token });

  /** The path of a page near the end of the list, found by following its pages. */
  const deepPath = async (server, token) => {
    let path = `${BASE}?limit=200`;
    for (let at = 0; at + 400 < users / ORGANIZATIONS; at += 200) {
      const response = await fetch(`${server.url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
      const { nextCursor, nextOffset } = await response.json();
      path = `${BASE}?limit=200&${nextCursor ? `cursor=${nextCursor}` : `offset=${nextOffset}`}`;
    }
    return path.replace('limit=200', 'limit=50');
  };

  const SCENARIOS = {
    'read one': async () => ofAny((token, anId) => request('GET', `${BASE}/${anId()}`, { token })),
    'list 50': async () => ofAny(get(`${BASE}?limit=50`)),
    'list at depth': async (server) => {
      const paths = new Map();
      for (const { organization, value } of tokens.slice(0, ORGANIZATIONS))
        paths.set(organization, await deepPath(server, value));
      return () => {
        const { organization, value } = anyToken();
        return request('GET', paths.get(organization), { token: value });
      };
    },
    create: async () =>
      ofAny((token) => {
        const { name, email, role, metadata } = person(10_000_000 + made++);
        return request('POST', BASE, { token, body: { name, email, role, metadata } });
      }),
    PATCH: async () =>
      ofAny((token, anId) =>
        request('PATCH', `${BASE}/${anId()}`, { token, body: { name: person(made++).name } }),
      ),
    'PATCH a number': async () =>
      ofAny((token, anId) =>
        request('PATCH', `${BASE}/${anId()}`, { token, body: { metadata: { visits: made++ } } }),
      ),
    delete: async (server) => {
      // Created through the server itself, so that each server has them in its own table and format.
      const bodies = Array.from({ length: 64 * 100 }, () => ({ ...anyToken(), n: made++ }));
      const created = [];
      await Promise.all(
        Array.from({ length: 32 }, async () => {
          for (let one = bodies.pop(); one; one = bodies.pop()) {
            const response = await fetch(`${server.url}${BASE}`, {
              method: 'POST',
              headers: { Authorization: `Bearer ${one.value}`, 'Content-Type': 'application/json' },
              body: JSON.stringify({ name: 'Doomed', email: `doomed${one.n}@example.com` }),
            });
            created.push({ id: (await response.json()).id, token: one.value });
          }
        }),
      );
      return () => {
        const one = created.pop();
        return one && request('DELETE', `${BASE}/${one.id}`, { token: one.token });
      };
    },
    search: async (_server, name) => {
      if (!name.startsWith('service,')) return undefined;
      return ofAny((token) => {
        const q = pick(next, person(Math.floor(next() * users)).name.split(' '));
        return request('GET', `${BASE}/search?q=${encodeURIComponent(q)}&limit=20`, { token });
      });
    },
  };

  const timed = async (server, make) => {
    const now = () => ({
      server: cpuOf(server.process.pid),
      postgres: cpuOf(postgres.pid()),
      busy: busyCpu(),
      mine: ownCpu(),
    });
    const before = now();
    const { count, seconds: took, times, statuses } = await fire(server.url, make, { seconds });
    const { server: serverCpu, postgres: postgresCpu, busy, mine } = spent(before, now());
    const odd = Object.keys(statuses).filter((status) => !/^2/.test(status));
    if (odd.length > 0) progress(`  unexpected statuses: ${JSON.stringify(statuses)}`);
    return {
      foreign: (busy - serverCpu - postgresCpu - mine) / (took * cpus().length),
      result: {
        rps: count / took,
        p50: at(times, 0.5),
        p99: at(times, 0.99),
        cpu: (serverCpu / count) * 1e6,
        postgresCpu: (postgresCpu / count) * 1e6,
      },
    };
  };

  const results = {};
  let thrownAway = 0;
  for (const scenario of Object.keys(SCENARIOS)) {
    if (values.only && !values.only.split(',').includes(scenario)) continue;
    results[scenario] = {};
    for (let round = 0; round < rounds; round++) {
      for (const [name, server] of running) {
        if (SERVERS[name].scenarios?.includes(scenario) === false) continue;
        const makes = () => SCENARIOS[scenario](server, name);
        if (round === 0) {
          const make = await makes();
          if (make) await fire(server.url, make, { seconds: WARM_UP_SECONDS });
        }
        for (let tries = 1; ; tries++) {
          const make = await makes();
          if (!make) break;
          const { foreign, result } = await timed(server, make);
          if (foreign > FOREIGN_CPU && tries < MAX_TRIES) thrownAway++;
          else {
            if (foreign > FOREIGN_CPU)
              progress(`  ${name}, ${scenario}: other processes used ${(foreign * 100).toFixed(0)} %`);
            (results[scenario][name] ??= []).push(result);
            break;
          }
        }
      }
    }
    progress(`${scenario} done`);
  }
  progress(
    `${thrownAway} measurements repeated because other processes used more than ${FOREIGN_CPU * 100} % of the machine`,
  );
  const servers = Object.fromEntries(
    [...running].map(([name, server]) => [
      name,
      { startMs: server.startMs, idleMb: server.idleMb, loadedMb: residentOf(server.process.pid) },
    ]),
  );
  return { scenarios: medians(results), servers };
}

/** CPU seconds of this process alone, without its children, which are the servers. */
function ownCpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function spent(before, after) {
  return Object.fromEntries(Object.keys(after).map((key) => [key, after[key] - before[key]]));
}

function medians(results) {
  const out = {};
  for (const [scenario, byServer] of Object.entries(results)) {
    out[scenario] = {};
    for (const name of running.keys()) {
      const list = byServer[name];
      if (!list) continue;
      out[scenario][name] = Object.fromEntries(
        Object.keys(list[0]).map((key) => [
          key,
          at(
            list.map((one) => one[key]).sort((a, b) => a - b),
            0.5,
          ),
        ]),
      );
    }
  }
  return out;
}

function at(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}

function report({ scenarios, servers }) {
  const version = execFileSync(NODE, ['--version']).toString().trim();
  const machine = `${users} users in ${ORGANIZATIONS} organizations, ${TOKENS} tokens, 64 connections, Node ${version}, ${cpus()[0].model.trim()} × ${cpus().length}`;
  const lines = [`${machine}; medians of ${rounds} rounds of ${seconds} s (deletes: at most 6,400 users)\n`];
  const express = 'hand-written Express';
  for (const [scenario, byServer] of Object.entries(scenarios)) {
    lines.push(
      `| ${scenario} | requests/s | × Express | p50 ms | p99 ms | server CPU µs | × Express | PostgreSQL CPU µs |`,
    );
    lines.push('|---|---|---|---|---|---|---|---|');
    for (const [name, one] of Object.entries(byServer)) {
      const times = (key) => (byServer[express] ? (one[key] / byServer[express][key]).toFixed(2) : '–');
      lines.push(
        `| ${name} | ${one.rps.toFixed(0)} | ${times('rps')} | ${one.p50.toFixed(1)} | ${one.p99.toFixed(1)} | ${one.cpu.toFixed(0)} | ${times('cpu')} | ${one.postgresCpu.toFixed(0)} |`,
      );
    }
    lines.push('');
  }
  lines.push('| server | start ms | idle MB | loaded MB |', '|---|---|---|---|');
  for (const [name, { startMs, idleMb, loadedMb }] of Object.entries(servers))
    lines.push(`| ${name} | ${startMs.toFixed(0)} | ${idleMb.toFixed(0)} | ${loadedMb.toFixed(0)} |`);
  const text = lines.join('\n');
  process.stdout.write(`${text}\n`);
  if (values.only) return;
  writeFileSync('bench/results.md', `${text}\n`);
  writeFileSync('docs/benchmark.svg', chart(machine, scenarios));
}
