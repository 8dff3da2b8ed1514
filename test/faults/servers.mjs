// A private PostgreSQL that a test can freeze, stop and restart.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { makeCluster, serverAt } from '../../scripts/postgres.mjs';
import { atExit } from './run.mjs';

/** Starts PostgreSQL in the directory. */
export const startPostgres = async (directory, settings) => breakable(await makeCluster(directory, settings));

/** Adds to a cluster of makeCluster() that it can be frozen, and its backends terminated. It ends with the process. */
export function breakable(cluster) {
  atExit(() => kill(cluster.pid(), 'SIGKILL'));
  let frozen = [];
  const connected = async (work, url = cluster.url) => {
    const client = new pg.Client(url);
    await client.connect();
    return work(client).finally(() => client.end());
  };
  /** Runs SQL on a separate connection. */
  const query = (sql, values, url) =>
    connected((client) => client.query(sql, values).then(({ rows }) => rows), url);
  return {
    ...cluster,
    query,
    createDatabase: serverAt(cluster.url).createDatabase,
    /** Executes the statement in a transaction that stays open, and returns a function that rolls it back. */
    async hold(sql, values, url = cluster.url) {
      const client = new pg.Client(url);
      await client.connect();
      await client.query('BEGIN');
      await client.query(sql, values);
      return () => client.end();
    },
    /** Suspends every process of the cluster. */
    async freeze() {
      kill(cluster.pid(), 'SIGSTOP'); // first the postmaster, so that no new process starts
      while (!isStopped(cluster.pid())) await sleep(1);
      frozen = [cluster.pid(), ...childrenOf(cluster.pid())];
      for (const pid of frozen) kill(pid, 'SIGSTOP');
    },
    thaw() {
      for (const pid of frozen) kill(pid, 'SIGCONT');
      frozen = [];
    },
    /** Terminates every other backend, and waits until they have ended. */
    terminateAll: () =>
      connected(async (client) => {
        const { rows } = await client.query(
          `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
        );
        const pids = rows.map(({ pid }) => pid);
        const left = () => client.query('SELECT FROM pg_stat_activity WHERE pid = ANY($1)', [pids]);
        while ((await left()).rowCount > 0) await sleep(10);
      }),
  };
}

/** The processes that a process has started; also those of a connection that has not logged in yet. */
const childrenOf = (pid) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

const isStopped = (pid) => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // already ended
  }
}
