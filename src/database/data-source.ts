import { Logger } from '@nestjs/common';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { describeError } from './errors';
import { MIGRATIONS_TABLE, migrate } from './migrate';
import { openEmbedded } from './embedded';
import { ResilientClient } from './resilient-client';

/** What the tables are and how they come to be; this folder knows no feature. */
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

/** The server's limit on a statement is the shorter one, so that it and not the client ends what takes too long. */
const TIMEOUTS = { statement_timeout: 5_000, query_timeout: 7_000, connectionTimeoutMillis: 3_000 };
const OLDEST_SERVER = 15;

/** Opens the database, and brings its schema up to date where that is asked for. */
export async function openDatabase(config: DatabaseConfig, schema: Schema): Promise<Database> {
  if (config.databaseUrl !== undefined) {
    if (config.migrate) await migrateDatabase(config, schema);
    return openServer(config, schema, TIMEOUTS);
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
    extra: { Client: ResilientClient, keepAlive: true, maxLifetimeSeconds: 1800, ...limits },
  }).initialize();
  const close = () => destroy(dataSource);
  if (parseInt(dataSource.driver.version ?? '', 10) < OLDEST_SERVER) {
    await close();
    throw new Error(
      `PostgreSQL ${OLDEST_SERVER} or newer is needed; DATABASE_URL leads to ${dataSource.driver.version}.`,
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
