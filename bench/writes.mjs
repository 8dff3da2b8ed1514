// Compares writes, and two reads, of this build with those of another one: `node bench/writes.mjs --before <directory of a built
// checkout> [--rounds 5] [--seconds 3] [--organizations 1,10,1000] [--connections 64]`. Both run on one PostgreSQL, alternating; prints the median of the
// rounds' ratios, and the CPU time that the service and PostgreSQL need for a write. Ends with imports of 20,000 users.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
    organizations: { type: 'string', default: '1,10,1000' },
    connections: { type: 'string', default: '64' },
  },
});
const CONNECTIONS = Number(values.connections);
const USERS_PER_ORGANIZATION = 200;
/** What this build does, and what the other one does beside it. */
const OPERATIONS = [
  ['read one', 'read one'],
  ['list 50', 'list 50'],
  ['create', 'create'],
  ['create with a key', 'create'],
  ['PATCH a role', 'PATCH a role'],
  ['PATCH a name', 'PATCH a name'],
  ['PATCH with If-Match: *', 'PATCH a name'],
  ['delete', 'delete'],
];
const IMPORTED = 20_000;
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
  const created = [];
  return {
    async create(n) {
      const tenant = tenants[n % tenants.length];
      const response = await create(tenant);
      created.push({ tenant, id: JSON.parse(response.text).id });
      return response;
    },
    delete() {
      const { tenant, id } = created.pop();
      return send(tenant, 'DELETE', `/api/v1/users/${id}`);
    },
    import(round) {
      const file = join(directory, 'people.ndjson');
      const people = Array.from({ length: IMPORTED }, (_, n) =>
        JSON.stringify({
          name: `Imported ${n}`,
          email: `i${round}-${n}@example.com`,
          metadata: { team: 'platform' },
        }),
      );
      writeFileSync(file, people.join('\n'));
      execFileSync(
        process.execPath,
        ['dist/src/cli.js', 'users', 'import', file, '--organization', tenants[0].id],
        { cwd: path, env, stdio: 'pipe' },
      );
    },
    'create with a key': (n) => create(tenants[n % tenants.length], { 'Idempotency-Key': randomUUID() }),
    'read one': (n) => {
      const user = users[n % users.length];
      return send(user.tenant, 'GET', `/api/v1/users/${user.id}`);
    },
    'list 50': (n) => send(tenants[n % tenants.length], 'GET', '/api/v1/users'),
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
    cpu: () => cpuOf(statOf(child.pid)),
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

/** The fields of a process after its name; of one that has ended, undefined. */
function statOf(pid) {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (
    stat && { name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')), fields: fields.map(Number) }
  );
}

/** CPU seconds of a process. */
const cpuOf = ({ fields }) => (fields[11] + fields[12]) / 100;

/** CPU seconds of the server, which is a child of this process, and of its own children, the ended ones included. */
function postgresCpu() {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), ...statOf(pid) }))
    .filter(({ name }) => name === 'postgres');
  const server = processes.find(({ fields: [, parent] }) => parent === process.pid);
  const children = processes.filter(({ fields: [, parent] }) => parent === server.pid);
  const ended = (server.fields[13] + server.fields[14]) / 100;
  return [server, ...children].reduce((sum, one) => sum + cpuOf(one), ended);
}

/** The file's text, or none if its process has ended. */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function measure(build, operation) {
  const until = performance.now() + Number(values.seconds) * 1_000;
  const [started, service, postgres] = [performance.now(), build.cpu(), postgresCpu()];
  const refused = {};
  const count = await drive(
    () => performance.now() < until,
    async (n) => {
      const { status } = await build[operation](n);
      if (status >= 300) refused[status] = (refused[status] ?? 0) + 1;
    },
  );
  if (Object.keys(refused).length > 0) say(`refused: ${JSON.stringify(refused)}`);
  return {
    rate: count / ((performance.now() - started) / 1_000),
    service: ((build.cpu() - service) / count) * 1e6,
    postgres: ((postgresCpu() - postgres) / count) * 1e6,
  };
}

function measureImport(build, round) {
  const [started, postgres] = [performance.now(), postgresCpu()];
  build.import(round);
  const seconds = (performance.now() - started) / 1_000;
  return { rate: IMPORTED / seconds, service: NaN, postgres: ((postgresCpu() - postgres) / IMPORTED) * 1e6 };
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

try {
  say(
    '| organizations | operation | before /s | now /s | ratio | service µs before | now | PostgreSQL µs before | now |\n|---|---|---|---|---|---|---|---|---|',
  );
  for (const organizations of values.organizations.split(',').map(Number)) {
    const before = await open('before', resolve(values.before), organizations);
    const now = await open('now', '.', organizations);
    const rounds = Array.from({ length: Number(values.rounds) }, (_, round) => round);
    const results = OPERATIONS.map(() => []);
    // Every round measures every operation, because what a create costs depends on how many have gone before.
    for (const round of rounds)
      for (const [i, [operation, base]] of OPERATIONS.entries()) {
        const [one, other] = [() => measure(before, base), () => measure(now, operation)];
        results[i].push(round % 2 ? [await one(), await other()] : [await other(), await one()].reverse());
      }
    const imports = [];
    for (const round of rounds.slice(0, 3))
      imports.push([before, now].map((build) => measureImport(build, round)));
    for (const [i, operation] of [...OPERATIONS.map(([name]) => name), 'import'].entries()) {
      results[i] ??= imports;
      const ratio = median(results[i].map(([one, other]) => other.rate / one.rate)).toFixed(2);
      const of = (key) =>
        [0, 1].map((build) => Math.round(median(results[i].map((pair) => pair[build][key]))));
      const cells = [organizations, operation, ...of('rate'), ratio, ...of('service'), ...of('postgres')];
      say(`| ${cells.join(' | ')} |`);
    }
    before.close();
    now.close();
  }
} finally {
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
