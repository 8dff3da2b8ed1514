// Starts a Citus cluster of a coordinator and workers from an installed PostgreSQL that has Citus.
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { findBinaries, makeCluster, unprivilegedUser } from './postgres.mjs';

const SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical', // moves of shards need it
  max_connections: 400, // each connection to the coordinator has one to each worker
  max_worker_processes: 100, // each database has one that maintains it
  'citus.shard_count': 4,
  'citus.node_conninfo': 'sslmode=disable', // otherwise the nodes look for certificates in the home directory of the user who runs the tests
};

/** The reason why there can be no cluster; undefined if there can. */
export const NO_CITUS = suitableBinaries() ? undefined : 'no installed PostgreSQL has Citus';

function suitableBinaries() {
  try {
    return findBinaries(hasCitus);
  } catch {
    return undefined; // no PostgreSQL at all
  }
}

function hasCitus(binaries) {
  const folder = dirname(realpathSync(join(binaries, 'postgres')));
  if (existsSync(join(folder, '../lib/citus.so'))) return true;
  const config = join(folder, 'pg_config');
  if (!existsSync(config)) return false;
  const libraries = execFileSync(config, ['--pkglibdir'], { encoding: 'utf8' }).trim();
  return ['citus.so', 'citus.dylib'].some((file) => existsSync(join(libraries, file)));
}

/** The first node is the coordinator. Each can be stopped and started again; see makeCluster(). */
export async function startCitus(directory, { workers = 2, ...more } = {}) {
  const owner = unprivilegedUser();
  if (owner) chownSync(directory, owner.uid, owner.gid); // so that it can access the directories of the nodes
  const startNode = (number) => {
    const folder = join(directory, `node-${number}`);
    mkdirSync(folder);
    return makeCluster(folder, { ...SETTINGS, ...more }, suitableBinaries());
  };
  const nodes = await Promise.all(Array.from({ length: workers + 1 }, (_, number) => startNode(number)));
  const [coordinator, ...others] = nodes;
  return {
    nodes,
    url: coordinator.url,
    workerUrls: others.map(({ url }) => url),
    /** Creates a database on all nodes, registers the nodes, and returns the coordinator's URL. */
    createDatabase: (name) => createDatabase(name, coordinator, others),
    stop: () => Promise.all(nodes.map((node) => node.stop())),
  };
}

async function createDatabase(name, coordinator, workers) {
  for (const { url } of [coordinator, ...workers]) {
    await runOn(url, `CREATE DATABASE ${name}`);
    await runOn(databaseUrl(url, name), 'CREATE EXTENSION citus');
  }
  await runOn(
    databaseUrl(coordinator.url, name),
    `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
    ...workers.map(({ port }) => `SELECT citus_add_node('127.0.0.1', ${port})`),
  );
  return databaseUrl(coordinator.url, name);
}

/** Turns a database into a template: nothing can connect to it, not even the maintenance of Citus. */
export async function makeTemplate(name, urls) {
  for (const url of urls)
    await runOn(
      url,
      `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
}

export function databaseUrl(url, name) {
  const database = new URL(url);
  database.pathname = name;
  return database.href;
}

export async function runOn(url, ...statements) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}
