// The scene of a test: a private PostgreSQL with a database of the service, and replicas on it.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { startReplica, stop } from './replicas.mjs';
import { newDirectory } from './run.mjs';
import { startPostgres } from './servers.mjs';

/**
 * Opens a scene with so many replicas in this environment; `settings` are those of PostgreSQL. It ends with the test
 * `t`, by default with the file, and then all replicas have survived, but for those that the test has removed.
 */
export async function openScene({ replicas: count = 1, environment, settings, t = { after } } = {}) {
  const server = await startPostgres(newDirectory(), settings);
  const database = await server.createDatabase('ums');
  const scene = {
    server,
    database,
    environment: { DATABASE_URL: database, ...environment },
    replicas: [],
    /** What ends before the replicas do. */
    endings: [],
    query: (sql, values) => server.query(sql, values, database),
    /** Adds a replica, with more in its environment. */
    async start(more) {
      const replica = await startReplica({ ...scene.environment, ...more });
      scene.replicas.push(replica);
      return replica;
    },
    /** Stops a replica, and returns its exit code. */
    async stop(replica) {
      scene.replicas.splice(scene.replicas.indexOf(replica), 1);
      return (await stop([replica]))[0];
    },
  };
  t.after(async () => {
    for (const end of scene.endings) await end();
    const codes = await stop(scene.replicas);
    await server.stop();
    assert.deepEqual(new Set(codes), new Set(codes.map(() => 0)), 'every replica has survived');
  });
  await Promise.all(Array.from({ length: count }, () => scene.start()));
  return scene;
}
