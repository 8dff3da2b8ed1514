// Compares the writes of this build with those of another one: `node bench/writes.mjs --before <directory of a built checkout>
// [--rounds 5] [--seconds 3]`. Both run on one PostgreSQL, alternating, with 1, 10 and 1,000 organizations at once; prints the
// median of the rounds' ratios, and the CPU time that PostgreSQL needs for a write.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startPostgres } from '../scripts/postgres.mjs';

const require = createRequire(import.meta.url);
const { newTokenValue, hashOf, hintOf } = require('../dist/src/tokens/token-value.js');
const { newId } = require('../dist/src/database/id.js');

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
  },
});
const CONNECTIONS = 64;
const USERS_PER_ORGANIZATION = 200;
const say = (text) => process.stdout.write(`${text}\n`);

const directory = mkdtempSync(join(tmpdir(), 'ums-writes-'));
const postgres = await startPostgres(directory);

/** Starts a build on a database of its own, with the organizations, and returns how to send requests to it. */
async function open(name, path, organizations) {
  const url = await postgres.createDatabase(`ums_${name}_${organizations}`);
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: url,
    PORT: '0',
    HOST: '127.0.0.1',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    LOG_LEVEL: 'error',
  };
  const child = spawn(process.execPath, ['dist/src/cli.js', 'start', '--json'], {
    cwd: path,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise((done) => child.stdout.once('data', done));
  const client = new pg.Client(url);
  await client.connect();
  const tenants = Array.from({ length: organizations }, () => ({ id: newId('org'), value: newTokenValue() }));
  for (const { id, value } of tenants) {
    await client.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Bench')`, [id]);
    await client.query(
      `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes) VALUES ($1, $2, 'Bench', $3, $4, '{admin}')`,
      [newId('tok'), id, hashOf(value), hintOf(value)],
    );
  }
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const { port } = new URL(JSON.parse(line).url);
  const send = (tenant, method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const call = request(
        {
          agent,
          port,
          host: '127.0.0.1',
          method,
          path,
          headers: {
            Authorization: `Bearer ${tenant.value}`,
            'Content-Type': 'application/json',
            ...headers,
          },
        },
        (response) => {
          let text = '';
          response
            .setEncoding('utf8')
            .on('data', (chunk) => (text += chunk))
            .on('end', () => resolve({ status: response.statusCode, text }));
        },
      );
      call.on('error', reject).end(JSON.stringify(body));
    });
  let made = 0;
  const create = (tenant, headers) =>
    send(
      tenant,
      'POST',
      '/api/v1/users',
      { name: `Person ${++made}`, email: `p${made}@${name}.example`, metadata: { team: 'platform' } },
      headers,
    );
  const users = [];
  await drive(
    () => users.length < Math.min(10_000, organizations * USERS_PER_ORGANIZATION),
    async (n) => {
      const tenant = tenants[n % tenants.length];
      const { status, text } = await create(tenant);
      if (status !== 201) throw new Error(text);
      users.push({ tenant, version: 1, id: JSON.parse(text).id });
    },
  );
  await client.query('VACUUM ANALYZE');
  await client.end();
  return {
    create: (n) => create(tenants[n % tenants.length]),
    'create with a key': (n) => create(tenants[n % tenants.length], { 'Idempotency-Key': randomUUID() }),
    'PATCH a role': (n) => {
      const user = users[n % users.length];
      user.role = user.role === 'admin' ? 'viewer' : 'admin';
      return send(user.tenant, 'PATCH', `/api/v1/users/${user.id}`, { role: user.role });
    },
    'PATCH a name': (n) => {
      const user = users[n % users.length];
      return send(user.tenant, 'PATCH', `/api/v1/users/${user.id}`, {
        name: `Changed ${n} ${Math.random()}`,
      });
    },
    'PATCH with If-Match: *': (n) => {
      const user = users[n % users.length];
      return send(
        user.tenant,
        'PATCH',
        `/api/v1/users/${user.id}`,
        { name: `Matched ${n} ${Math.random()}` },
        { 'If-Match': '*' },
      );
    },
    close: () => {
      agent.destroy();
      child.kill('SIGTERM');
    },
  };
}

/** Repeats `task` on every connection as long as `goesOn`. */
async function drive(goesOn, task) {
  let n = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (goesOn()) await task(n++);
    }),
  );
  return n;
}

/** CPU seconds of the server, which is a child of this process, and of its own children, the ended ones included. */
function postgresCpu() {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid, stat: read(`/proc/${pid}/stat`) }))
    .filter(({ stat }) => stat.includes('(postgres)'))
    .map(({ pid, stat }) => ({
      pid,
      fields: stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number),
    }));
  const server = processes.find(({ fields: [, parent] }) => parent === process.pid);
  const children = processes.filter(({ fields: [, parent] }) => parent === Number(server.pid));
  const ended = server.fields[13] + server.fields[14];
  const ticks = [server, ...children].reduce((sum, { fields }) => sum + fields[11] + fields[12], ended);
  return ticks / 100;
}

/** The file's text, or none if its process has ended. */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function measure(run) {
  const until = performance.now() + Number(values.seconds) * 1_000;
  const [started, cpu] = [performance.now(), postgresCpu()];
  const refused = {};
  const count = await drive(
    () => performance.now() < until,
    async (n) => {
      const { status } = await run(n);
      if (status >= 300) refused[status] = (refused[status] ?? 0) + 1;
    },
  );
  if (Object.keys(refused).length > 0) say(`refused: ${JSON.stringify(refused)}`);
  return {
    rate: count / ((performance.now() - started) / 1_000),
    cpu: ((postgresCpu() - cpu) / count) * 1e6,
  };
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

try {
  say(
    '| organizations | operation | before /s | now /s | ratio | PostgreSQL µs before | now |\n|---|---|---|---|---|---|---|',
  );
  for (const organizations of [1, 10, 1_000]) {
    const before = await open('before', resolve(values.before), organizations);
    const now = await open('now', '.', organizations);
    for (const [operation, base] of [
      ['create', 'create'],
      ['create with a key', 'create'],
      ['PATCH a role', 'PATCH a role'],
      ['PATCH a name', 'PATCH a name'],
      ['PATCH with If-Match: *', 'PATCH a name'],
    ]) {
      const rounds = [];
      for (let round = 0; round < Number(values.rounds); round++)
        rounds.push([await measure(before[base]), await measure(now[operation])]);
      const [rates, others] = [rounds.map(([one]) => one), rounds.map(([, other]) => other)];
      const ratio = median(rounds.map(([one, other]) => other.rate / one.rate));
      const of = (list, key) => Math.round(median(list.map((one) => one[key])));
      say(
        `| ${organizations} | ${operation} | ${of(rates, 'rate')} | ${of(others, 'rate')} | ${ratio.toFixed(2)} | ${of(rates, 'cpu')} | ${of(others, 'cpu')} |`,
      );
    }
    before.close();
    now.close();
  }
} finally {
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
