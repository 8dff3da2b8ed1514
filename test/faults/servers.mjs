// A private PostgreSQL that a test can freeze, stop and restart.
import pg from 'pg';
import { makeCluster, serverAt } from '../../scripts/postgres.mjs';
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

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // already ended
  }
}
