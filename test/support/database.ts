import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { DataSource } from 'typeorm';

/** The directory of the migrated template, and the URL of the server if there is one, as set by run/setup.mjs. */
const directory = process.env.UMS_TEST_DIRECTORY!;
const serverUrl = process.env.UMS_TEST_SERVER;

/**
 * The other servers of a Citus cluster, of which that one is the coordinator. Each has every database under the same
 * name.
 */
const workerUrls = (process.env.UMS_TEST_WORKERS ?? '').split(' ').filter(Boolean);

/** The URL for the service: the server, or the pooler in front of it. */
const serviceUrl = process.env.UMS_TEST_POOLER || serverUrl;

/** A copy of the template: environment variables for the service, and a function that removes the copy. */
export interface TestDatabase {
  env: { DATABASE_URL?: string; DATA_DIR: string };
  drop(): Promise<void>;
}

export const copyOfTemplate = () =>
  serverUrl ? newDatabase(`TEMPLATE ${process.env.UMS_TEST_TEMPLATE}`) : newDirectory(true);

export const emptyDatabase = () =>
  serverUrl ? newDatabase(workerUrls.length > 0 ? 'TEMPLATE ums_empty' : '') : newDirectory(false);

/**
 * For services that migrate it when they start. On a cluster its tables are distributed already, or they would be plain
 * ones.
 */
export const databaseToMigrate = () => (workerUrls.length > 0 ? copyOfTemplate() : emptyDatabase());

/** A directory for an embedded database, even if the tests run on a server. */
export const emptyDirectory = () => newDirectory(false);

async function newDatabase(template: string): Promise<TestDatabase> {
  const name = `ums_${process.pid}_${Math.random().toString(36).slice(2)}`;
  await onServer(`CREATE DATABASE ${name} ${template}`);
  const url = new URL(serviceUrl!);
  url.pathname = name;
  return {
    env: { DATABASE_URL: url.href, DATA_DIR: '' },
    drop: () => drop(name),
  };
}

async function newDirectory(copy: boolean): Promise<TestDatabase> {
  const path = mkdtempSync(join(directory, 'data-'));
  if (copy) cpSync(join(directory, 'template'), path, { recursive: true });
  return { env: { DATA_DIR: path }, drop: async () => rmSync(path, { recursive: true, force: true }) };
}

const OBJECT_IN_USE = '55006';

/**
 * Ends what still uses the database, and drops it. PostgreSQL waits 5 s for an ended backend, which a busy machine can
 * need.
 */
async function drop(name: string): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    } catch (error) {
      if ((error as pg.DatabaseError).code !== OBJECT_IN_USE || attempt === 6) throw error;
    }
}

/**
 * Runs a statement on each server, the coordinator of a cluster first: once its database is dropped, it connects to no
 * other.
 */
async function onServer(sql: string): Promise<void> {
  for (const url of [serverUrl!, ...workerUrls]) {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(sql).finally(() => client.end());
  }
}

/** The URLs of a database at the other servers of the cluster; none if there is no cluster. */
export const workersOf = (name: string): string[] =>
  workerUrls.map((url) => Object.assign(new URL(url), { pathname: name }).href);

/** A URL that bypasses the pooler, for programs that leave changed session settings behind. */
export function directUrl({ env }: TestDatabase): string {
  const url = new URL(env.DATABASE_URL!);
  url.host = new URL(serverUrl!).host;
  return url.href;
}

/** Waits for PgBouncer: after a failed login it rejects one more client before it retries. */
async function wakePooler(database: string): Promise<void> {
  if (serviceUrl === serverUrl) return;
  const url = new URL(serviceUrl!);
  url.pathname = database;
  for (let attempt = 0; attempt < 20; attempt++) {
    const client = new pg.Client(url.href);
    client.on('error', () => {}); // the failed call reports it too
    try {
      await client.connect();
      await client.query('SELECT 1');
      return await client.end();
    } catch {
      await new Promise((done) => setTimeout(done, 500));
    }
  }
}

/** Makes a database unavailable meanwhile: it ends its connections and admits none. */
export async function withoutDatabase(dataSource: DataSource, run: () => Promise<void>): Promise<void> {
  const [{ name }] = await dataSource.query('SELECT current_database() AS name');
  const admin = new pg.Client(serverUrl);
  await admin.connect();
  try {
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    await run();
  } finally {
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await admin.end();
  }
  await wakePooler(name);
}
