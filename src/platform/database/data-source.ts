import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions';
import { describeError } from './errors';
import { migrate } from './migrate';
import { openEmbedded } from './embedded/embedded';
import { reach } from './connections/reach';
import { ResilientClient } from './connections/resilient-client';
import { MIGRATIONS_TABLE } from './tables';

/** The tables and the migrations that create them. They are parameters, because this folder depends on no feature. */
export type SchemaOptions = Pick<
  PostgresDataSourceOptions,
  'entities' | 'migrations' | 'extensions' | 'schema'
>;

export interface DatabaseConfig {
  /** Undefined selects the embedded database. */
  databaseUrl?: string;
  /** The directory of the embedded database. */
  dataDir: string;
  poolSize: number;
  migrate: boolean;
}

export interface OpenDatabase {
  dataSource: DataSource;
  /** Closes the connections and the embedded database. */
  close(): Promise<void>;
}

/**
 * `statement_timeout` is shorter than `query_timeout`, so that the server ends a slow statement before the client gives
 * up; statements that are sent together have the time of one. `lock_timeout` is shorter than the wait for a connection,
 * so that callers that need no lock get one.
 */
export const TIMEOUTS = {
  lock_timeout: 2_000,
  statement_timeout: 5_000,
  query_timeout: 7_000,
  connectionTimeoutMillis: 3_000,
};

/** Timeouts for the statements of large jobs, which no request waits for. */
export const LARGE_JOB = {
  ...TIMEOUTS,
  lock_timeout: 60_000,
  statement_timeout: 60_000,
  query_timeout: 70_000,
};

/** No statement timeout: waiting for another replica, building an index or moving a table can take minutes. */
export const UNLIMITED = { connectionTimeoutMillis: TIMEOUTS.connectionTimeoutMillis };

/**
 * JIT compilation and parallel workers take longer to start than a statement of a request should take. The coordinator
 * of a cluster ignores `statement_timeout` while it connects to a node that hangs, so it has a timeout for that. A
 * process that hangs in the middle of a transaction loses its locks.
 *
 * `plan_cache_mode` is the default, `auto`: PostgreSQL plans a prepared statement, and the check of a foreign key, once
 * for all values, if the plans for five single values were not better. Planning each time took half of its CPU, and
 * learned nothing, because statistics do not know single organizations. A cluster has statements that it cannot plan in
 * general, so this cannot be `force_generic_plan`.
 */
export const SERVER_OPTIONS =
  '-c jit=off -c max_parallel_workers_per_gather=0 -c citus.node_connection_timeout=2000 -c idle_in_transaction_session_timeout=5000';

const MIN_SERVER_VERSION = 15;

/** Opens the database, and migrates it if `config.migrate` is set. Otherwise another process may do that later. */
export async function openDatabase(
  config: DatabaseConfig,
  schema: SchemaOptions,
  timeouts: object = TIMEOUTS,
): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined) {
    if (config.migrate) await migrateDatabase(config, schema);
    return openServer(config, schema, timeouts);
  }
  const database = await openEmbeddedDatabase(config, schema);
  try {
    if (config.migrate) await migrate(database.dataSource);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Brings the schema up to date, and returns the names of the migrations that ran. */
export async function migrateDatabase(config: DatabaseConfig, schema: SchemaOptions): Promise<string[]> {
  const database =
    config.databaseUrl === undefined
      ? await openEmbeddedDatabase(config, schema)
      : await openServer({ ...config, poolSize: 1 }, schema, UNLIMITED);
  return migrate(database.dataSource).finally(() => database.close());
}

async function openServer(
  config: DatabaseConfig,
  schema: SchemaOptions,
  timeouts: object,
): Promise<OpenDatabase> {
  const options = serverOptions(config, schema, timeouts);
  const dataSource = await reach(() => new DataSource(options).initialize());
  const close = () => destroy(dataSource);
  if (parseInt(dataSource.driver.version ?? '', 10) < MIN_SERVER_VERSION) {
    await close();
    throw new Error(
      `PostgreSQL ${MIN_SERVER_VERSION} or newer is required; the server of DATABASE_URL is ${dataSource.driver.version}.`,
    );
  }
  return { dataSource, close };
}

async function openEmbeddedDatabase(config: DatabaseConfig, schema: SchemaOptions): Promise<OpenDatabase> {
  const embedded = await openEmbedded(config.dataDir);
  const dataSource = await new DataSource({ ...commonOptions(schema), ...embedded.options }).initialize();
  return {
    dataSource,
    close: async () => {
      await destroy(dataSource);
      await embedded.close();
    },
  };
}

/** The data source for TypeORM's own command line, which opens and closes it. */
export async function closedDataSource(config: DatabaseConfig, schema: SchemaOptions): Promise<DataSource> {
  if (config.databaseUrl !== undefined) return new DataSource(serverOptions(config, schema, UNLIMITED));
  const embedded = await openEmbedded(config.dataDir);
  return new (class extends DataSource {
    override async destroy(): Promise<void> {
      await super.destroy();
      await embedded.close();
    }
  })({ ...commonOptions(schema), ...embedded.options });
}

const serverOptions = (config: DatabaseConfig, schema: SchemaOptions, timeouts: object) => ({
  ...commonOptions(schema),
  url: config.databaseUrl,
  poolSize: config.poolSize,
  extra: {
    Client: ResilientClient,
    keepAlive: true,
    maxLifetimeSeconds: 1800,
    options: SERVER_OPTIONS,
    ...timeouts,
  },
});

export const commonOptions = (schema: SchemaOptions) => ({
  type: 'postgres' as const,
  ...schema,
  migrationsTableName: MIGRATIONS_TABLE,
  installExtensions: false, // migrate() does
  poolErrorHandler: (error: unknown) =>
    new Logger('Database').warn({ message: 'a pooled connection broke', error: describeError(error) }),
});

// An application that registers the data source with TypeOrmModule has closed it already.
const destroy = async (dataSource: DataSource) => {
  if (dataSource.isInitialized) await dataSource.destroy();
};
