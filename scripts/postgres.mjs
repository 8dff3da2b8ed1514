// Provides a PostgreSQL server for the tests: the one in TEST_DATABASE_URL, otherwise a temporary cluster of an
// installed PostgreSQL.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export async function startPostgres(directory, more = {}) {
  if (process.env.TEST_DATABASE_URL) return serverAt(process.env.TEST_DATABASE_URL, async () => {});
  const cluster = await makeCluster(directory, more);
  return serverAt(cluster.url, () => cluster.stop());
}

/**
 * Starts the cluster in the directory, a new one if there is none. It can be stopped (SIGINT, a fast shutdown, by
 * default) and started again. A kept one outlives this process.
 */
export async function makeCluster(directory, more = {}, binaries = findBinaries(), { isKept = false } = {}) {
  const port = await freePort();
  const data = join(directory, 'postgres');
  const owner = unprivilegedUser();
  const run = { ...owner, cwd: directory, stdio: 'ignore' };
  if (!existsSync(data)) {
    mkdirSync(data);
    if (owner) chownSync(data, owner.uid, owner.gid);
    if (owner) chownSync(directory, owner.uid, owner.gid);
    execFileSync(
      join(binaries, 'initdb'),
      ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'],
      run,
    );
  }
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: data,
    fsync: 'off',
    max_connections: 200,
    ...more,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server;
  let ended;
  const start = async () => {
    server = spawn(join(binaries, 'postgres'), ['-D', data, ...flags], { ...run, detached: isKept });
    if (isKept) server.unref();
    ended = new Promise((done) => server.once('exit', done));
    await waitFor(url);
  };
  await start();
  return {
    url,
    port,
    data,
    pid: () => server.pid,
    start,
    stop: async (signal = 'SIGINT') => {
      server.kill(signal);
      await ended;
    },
  };
}

export function serverAt(url, stop) {
  const createDatabase = async (name) => {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(`DROP DATABASE IF EXISTS ${name}`);
    await client.query(`CREATE DATABASE ${name}`);
    await client.end();
    const database = new URL(url);
    database.pathname = name;
    return database.href;
  };
  return { url, stop, createDatabase };
}

/** The folder of the first installed PostgreSQL that is suitable. */
export function findBinaries(isSuitable = () => true) {
  const onPath = (process.env.PATH ?? '').split(delimiter);
  const candidates = [
    ...onPath,
    ...versions('/usr/lib/postgresql'),
    ...versions('/opt/homebrew/opt'),
    ...versions('/usr'),
  ];
  const found = candidates.find(
    (path) => existsSync(join(path, 'initdb')) && existsSync(join(path, 'postgres')) && isSuitable(path),
  );
  if (found) return found;
  throw new Error(
    'No PostgreSQL found. Install PostgreSQL 15 or newer, or set TEST_DATABASE_URL to a server on which the tests may create databases.',
  );
}

export function hasPostgres() {
  try {
    return findBinaries() !== undefined;
  } catch {
    return false;
  }
}

/** The `bin` folders of the versions in a folder, newest first. */
function versions(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^(postgresql@|pgsql-)?\d/.test(name))
    .sort((a, b) => parseInt(b.replace(/\D+/, ''), 10) - parseInt(a.replace(/\D+/, ''), 10))
    .map((name) => join(folder, name, 'bin'));
}

/** PostgreSQL refuses to run as root, so root starts it as another user. */
export function unprivilegedUser() {
  if (process.getuid?.() !== 0) return undefined;
  const name = ['postgres', 'nobody'].find((user) => spawnSync('id', ['-u', user]).status === 0);
  const id = (flag) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM'; // it is another user's
  }
}

export function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

export async function waitFor(url) {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (attempt === 100) throw error;
      await sleep(100);
    }
  }
}
