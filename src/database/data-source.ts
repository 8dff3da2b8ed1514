import { Logger } from '@nestjs/common';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { describeError } from './errors';
import { MIGRATIONS_TABLE, migrate } from './migrate';
import { openEmbedded } from './embedded';
import { ResilientClient } from './resilient-client';

/** The name of the service's data source in Nest: host applications have others. */
export const DATABASE = 'user-management';

/** The tables and the migrations that create them; this folder knows no feature. */
export type Schema = Pick<DataSourceOptions, 'entities' | 'migrations'>;

export interface DatabaseConfig {
  /** Undefined: the embedded database. */
  databaseUrl?: string;
  /** Where the embedded database keeps its files. */
  dataDir: string;
  poolSize: number;
  migrate: boolean;
}

export interface Database {
  dataSource: DataSource;
  /** Ends the connections, and the embedded database. */
  close(): Promise<void>;
}

/**
 * The server's limit on a statement is shorter than the client's, so that it ends what takes too long. The one on waiting
 * for a lock is shorter than the wait for a connection: who needs no lock gets one of those that others gave up.
 */
const TIMEOUTS = {
  lock_timeout: 2_000,
  statement_timeout: 5_000,
  query_timeout: 7_000,
  connectionTimeoutMillis: 3_000,
};

/** Nobody waits for a statement of a large job the way they wait for a request. */
export const LARGE_JOB = {
  ...TIMEOUTS,
  lock_timeout: 60_000,
  statement_timeout: 60_000,
  query_timeout: 70_000,
};

/** To compile a statement, or to start processes for it, takes longer than any statement of a request should. */
const OPTIONS = '-c jit=off -c max_parallel_workers_per_gather=0';

const OLDEST_SERVER = 15;

/** Opens the database, and brings its schema up to date where that is asked for. */
export async function openDatabase(
  config: DatabaseConfig,
  schema: Schema,
  timeouts: object = TIMEOUTS,
): Promise<Database> {
  if (config.databaseUrl !== undefined) {
    if (config.migrate) await migrateDatabase(config, schema);
    return openServer(config, schema, timeouts);
  }
  const database = await openEmbeddedDatabase(config, schema);
  if (config.migrate) await migrate(database.dataSource);
  return database;
}

/** Brings the schema up to date, and returns the names of what that took. */
export async function migrateDatabase(config: DatabaseConfig, schema: Schema): Promise<string[]> {
  // On a connection of its own: waiting for another replica, or building an index, takes longer than a request may.
  const { connectionTimeoutMillis } = TIMEOUTS;
  const database =
    config.databaseUrl === undefined
      ? await openEmbeddedDatabase(config, schema)
      : await openServer({ ...config, poolSize: 1 }, schema, { connectionTimeoutMillis });
  return migrate(database.dataSource).finally(() => database.close());
}

async function openServer(config: DatabaseConfig, schema: Schema, limits: object): Promise<Database> {
  const dataSource = await new DataSource({
    ...common(schema),
    url: config.databaseUrl,
    poolSize: config.poolSize,
    extra: {
      Client: ResilientClient,
      keepAlive: true,
      maxLifetimeSeconds: 1800,
      options: OPTIONS,
      ...limits,
    },
  }).initialize();
  const close = () => destroy(dataSource);
  if (parseInt(dataSource.driver.version ?? '', 10) < OLDEST_SERVER) {
    await close();
    throw new Error(
      `PostgreSQL ${OLDEST_SERVER} or newer is required; the server of DATABASE_URL is ${dataSource.driver.version}.`,
    );
  }
  return { dataSource, close };
}

async function openEmbeddedDatabase(config: DatabaseConfig, schema: Schema): Promise<Database> {
  const embedded = await openEmbedded(config.dataDir);
  const dataSource = await new DataSource({ ...common(schema), ...embedded.options }).initialize();
  return {
    dataSource,
    close: async () => {
      await destroy(dataSource);
      await embedded.close();
    },
  };
}

export const common = (schema: Schema) => ({
  type: 'postgres' as const,
  ...schema,
  migrationsTableName: MIGRATIONS_TABLE,
  installExtensions: false,
  poolErrorHandler: (error: unknown) =>
    new Logger('Database').warn({ message: 'a pooled connection broke', error: describeError(error) }),
});

// Nest destroys the data source too, when it closes an application that has it.
const destroy = async (dataSource: DataSource) => {
  if (dataSource.isInitialized) await dataSource.destroy();
};
