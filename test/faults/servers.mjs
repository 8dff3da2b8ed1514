// Private PostgreSQL and Redis servers that a test can freeze, stop and restart.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort, makeCluster, serverAt } from '../../scripts/postgres.mjs';
import { atExit } from './scene.mjs';

/** Starts PostgreSQL in the directory. */
export const startPostgres = async (directory, settings) => breakable(await makeCluster(directory, settings));

/** Adds to a cluster of makeCluster() that it can be frozen, and its backends terminated. It ends with the process. */
export function breakable(cluster) {
  atExit(() => kill(cluster.pid(), 'SIGKILL'));
  let frozen = [];
  /** Runs SQL on a separate connection. */
  const query = async (sql, values, url = cluster.url) => {
    const client = new pg.Client(url);
    await client.connect();
    return client.query(sql, values).then(
      ({ rows }) => client.end().then(() => rows),
      (error) => client.end().then(() => Promise.reject(error)),
    );
  };
  return {
    ...cluster,
    query,
    createDatabase: serverAt(cluster.url).createDatabase,
    /** Suspends every process of the cluster. */
    async freeze() {
      const client = new pg.Client(cluster.url);
      await client.connect();
      client.on('error', () => {});
      kill(cluster.pid(), 'SIGSTOP'); // first the postmaster, so that no new process starts
      const { rows } = await client.query('SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
      frozen = [cluster.pid(), ...rows.map(({ pid }) => pid)];
      for (const pid of frozen) kill(pid, 'SIGSTOP');
      client.connection.stream.destroy();
    },
    thaw() {
      for (const pid of frozen) kill(pid, 'SIGCONT');
      frozen = [];
    },
    terminateAll: () =>
      query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      ),
  };
}

/** Starts Redis in the directory. */
export async function startRedis(directory) {
  const data = join(directory, 'redis');
  mkdirSync(data);
  const port = await freePort();
  let server;
  const start = async () => {
    const options = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--dir', data];
    server = spawn('redis-server', options.map(String), { stdio: 'ignore' });
    for (let attempt = 0; !(await accepts(port)); attempt++) {
      if (attempt === 100) throw new Error('Redis did not start.');
      await sleep(50);
    }
  };
  await start();
  atExit(() => kill(server.pid, 'SIGKILL'));
  const end = async () => {
    const ended = new Promise((done) => server.once('exit', done));
    kill(server.pid, 'SIGKILL');
    await ended;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    start,
    stop: end,
    kill: end,
    freeze: () => kill(server.pid, 'SIGSTOP'),
    thaw: () => kill(server.pid, 'SIGCONT'),
    command: (text) => command(port, text),
  };
}

export const isInstalled = (program, ...options) => spawnSync(program, options).error === undefined;

export const NO_REDIS = isInstalled('redis-server', '--version') ? false : 'redis-server is not installed';

const accepts = (port) =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });

const command = (port, text) =>
  new Promise((done, fail) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${text}\r\n`));
    socket.once('data', () => socket.end(done)).once('error', fail);
  });

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // already ended
  }
}
