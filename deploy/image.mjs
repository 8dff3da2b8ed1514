// Builds the image with buildah instead of Docker, runs it as Kubernetes would, and checks that it starts, migrates,
// serves, drains on SIGTERM and does not write to its root file system. Requires Linux, root, buildah and PostgreSQL.
//   node deploy/image.mjs [options for `buildah build`, such as --build-arg BASE=… or --secret id=npmrc,src=…]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../scripts/postgres.mjs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const IMAGE = `localhost/user-management-service:${version}`;
const PEOPLE = { uid: 10001, gid: 10001 };

const output = (command, ...args) => execFileSync(command, args, { encoding: 'utf8' }).trim();
const buildah = (...args) => output('buildah', ...args);
const say = (text) => process.stdout.write(`${text}\n`);

function check(what, holds, found = '') {
  if (!holds) throw new Error(`Failed: ${what}${found === '' ? '' : ` (${found})`}`);
  say(`ok: ${what}`);
}

build(process.argv.slice(2));
const container = buildah('from', IMAGE);
const directory = mkdtempSync(join(tmpdir(), 'ums-image-'));
const server = await startPostgres(directory);
try {
  const root = buildah('mount', container);
  inspect(root);
  await run(root);
} finally {
  buildah('rm', container);
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}

function build(options) {
  const time = output('git', 'log', '-1', '--format=%ct');
  const args = [
    '--build-arg',
    `VERSION=${version}`,
    '--build-arg',
    `REVISION=${output('git', 'rev-parse', 'HEAD')}`,
  ];
  execFileSync(
    'buildah',
    // The commit's time, not the build's: the same sources on the same base produce the same image.
    [
      'build',
      '--isolation',
      'chroot',
      '--format',
      'docker',
      '--timestamp',
      time,
      ...args,
      ...options,
      '-t',
      IMAGE,
      '.',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
}

function inspect(root) {
  const image = JSON.parse(buildah('inspect', '--type', 'image', IMAGE));
  const { User, Entrypoint, Cmd, Labels, Healthcheck, ExposedPorts } = image.Docker.config;
  check('runs as an unprivileged user', User === '10001:10001', User);
  check('starts the service', [...(Entrypoint ?? []), ...Cmd].join(' ') === 'node /app/dist/src/main.js');
  check('has its version as a label', Labels['org.opencontainers.image.version'] === version);
  check('has a health check', Healthcheck?.Test?.[0] === 'CMD');
  check('exposes its ports', Object.keys(ExposedPorts).sort().join() === '3000/tcp,9464/tcp');
  const modules = readdirSync(join(root, 'app/node_modules'));
  const needless = ['@electric-sql', 'typescript', 'jest', 'eslint', '@nestjs/cli', '@swc'];
  check('contains no build dependencies', !needless.some((name) => modules.includes(name)));
  const { components } = JSON.parse(readFileSync(join(root, 'app/sbom.cdx.json'), 'utf8'));
  const listed = new Set(components.map(({ name }) => name));
  const inScope = (scope) =>
    readdirSync(join(root, 'app/node_modules', scope)).map((name) => `${scope}/${name}`);
  const installed = modules
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => (name.startsWith('@') ? inScope(name) : name));
  check(
    'lists every package that it contains',
    installed.every((name) => listed.has(name)),
  );
  check(
    'lists no other package',
    ![...listed].some((name) => needless.some((other) => `${name}/`.startsWith(`${other}/`))),
  );
  say(`size of the application: ${output('du', '-sh', join(root, 'app')).split('\t')[0]}`);
  check(
    'runs the ums command',
    /^umt_\w{38}$/.test(
      buildah('run', '--isolation', 'chroot', container, '--', 'ums', 'tokens', 'generate'),
    ),
  );
}

async function run(root) {
  const [port, managementPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const token = buildah('run', '--isolation', 'chroot', container, '--', 'ums', 'tokens', 'generate');
  const env = {
    DATABASE_URL: await server.createDatabase('ums_image'),
    BOOTSTRAP_TOKEN: token,
    PORT: String(port),
    MANAGEMENT_PORT: String(managementPort),
    SHUTDOWN_DRAIN_SECONDS: '6',
  };

  const early = inContainer(root, env, 'start');
  await until(async () => early.isNode(), 'Node');
  await sleep(200); // its first lines have run, but it does not serve yet
  early.terminate();
  await within(15_000, early.ended, 'the end of an interrupted start');
  check('stops on a SIGTERM while it is still loading', !early.log().includes('"url"'));

  const service = inContainer(root, env, 'start');
  await until(async () => (await fetch(`${url}/readyz`)).ok, 'readiness');
  check('starts and migrates as PID 1 on a read-only root', true);
  const call = (path, init = {}) =>
    fetch(url + path, {
      ...init,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    });
  const body = JSON.stringify({ name: 'Ada Lovelace', email: 'ada@example.com' });
  const created = await call('/api/v1/users', { method: 'POST', body });
  check('serves', created.status === 201, created.status);
  const metrics = await (await fetch(`http://127.0.0.1:${managementPort}/metrics`)).text();
  check('serves metrics', metrics.includes('ums_build_info'));
  const image = JSON.parse(buildah('inspect', '--type', 'image', IMAGE));
  const [, command, ...args] = image.Docker.config.Healthcheck.Test;
  const [healthy] = await inContainer(root, env, command, args).ended;
  check('is healthy', healthy === 0, healthy);

  const statuses = [];
  let balanced = true;
  const load = (async () => {
    while (balanced) {
      const response = await call('/api/v1/users').catch(({ cause }) => ({ status: cause?.code }));
      statuses.push(response.status);
      await response.text?.();
    }
  })();
  await sleep(300);
  service.terminate();
  await until(
    async () => (await fetch(`${url}/readyz`)).status === 503,
    'a /readyz that reports the shutdown',
  );
  await sleep(1_000); // a load balancer needs about this long to notice
  balanced = false;
  await load;
  const [code] = await within(8_000, service.ended, 'the end of the drain');
  const failed = statuses.filter((status) => status !== 200 && status !== 429);
  check(`fails none of ${statuses.length} requests while it drains`, failed.length === 0, failed.join());
  check('exits with code 0 after the drain', code === 0, code);
  const written = output(
    'find',
    root,
    '-xdev',
    '-newer',
    join(directory, 'postgres/PG_VERSION'),
    '-uid',
    '10001',
  );
  check('does not write to its root', written === '' && !service.log().includes('EROFS'), written || 'EROFS');
  check('does not log the token', !service.log().includes(token));
}

/**
 * Runs a command as Kubernetes would: as PID 1, unprivileged, on a read-only root. Without a network namespace,
 * `buildah run` provides neither.
 */
function inContainer(root, env, ...command) {
  const [first, args = []] = command;
  const [program, parameters] = first === 'start' ? ['node', ['/app/dist/src/main.js']] : [first, args];
  const script = `
    mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
    exec chroot --userspec=${PEOPLE.uid}:${PEOPLE.gid} "$0" "$@"`;
  const outer = spawn(
    'unshare',
    ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, root, program, ...parameters],
    {
      env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let log = '';
  for (const stream of [outer.stdout, outer.stderr])
    stream.setEncoding('utf8').on('data', (text) => (log += text));
  const inner = () => Number(readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').trim());
  return {
    log: () => log,
    ended: once(outer, 'close'),
    isNode: () => readFileSync(`/proc/${inner()}/cmdline`, 'utf8').startsWith('node\0'),
    terminate: () => process.kill(inner(), 'SIGTERM'),
  };
}

function freePort() {
  return new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}

async function until(holds, what) {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(20)) {
    if (await holds().catch(() => false)) return;
  }
  throw new Error(`Timed out after 30 s waiting for ${what}.`);
}

async function within(ms, promise, what) {
  const late = sleep(ms, undefined, { ref: false }).then(() => {
    throw new Error(`Timed out after ${ms} ms waiting for ${what}.`);
  });
  return Promise.race([promise, late]);
}
