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
export function openDatabase(config: DatabaseConfig, schema: Schema): Promise<Database> {
  return config.databaseUrl === undefined
    ? openEmbeddedDatabase(config, schema)
    : openServer(config.databaseUrl, config, schema);
}

async function openServer(url: string, config: DatabaseConfig, schema: Schema): Promise<Database> {
  const server = (poolSize: number, limits: object) =>
    new DataSource({
      ...common(schema),
      url,
      poolSize,
      extra: { Client: ResilientClient, keepAlive: true, maxLifetimeSeconds: 1800, ...limits },
    });
  if (config.migrate) {
    // On a connection of its own: waiting for another replica, or building an index, takes longer than a request may.
    const migrator = await server(1, {
      connectionTimeoutMillis: TIMEOUTS.connectionTimeoutMillis,
    }).initialize();
    try {
      requireVersion(migrator);
      await migrate(migrator);
    } finally {
      await migrator.destroy();
    }
  }
  const dataSource = await server(config.poolSize, TIMEOUTS).initialize();
  requireVersion(dataSource);
  return { dataSource, close: () => destroy(dataSource) };
}

async function openEmbeddedDatabase(config: DatabaseConfig, schema: Schema): Promise<Database> {
  const embedded = await openEmbedded(config.dataDir);
  const dataSource = await new DataSource({ ...common(schema), ...embedded.options }).initialize();
  if (config.migrate) await migrate(dataSource);
  return {
    dataSource,
    close: async () => {
      await destroy(dataSource);
      await embedded.close();
    },
  };
}

const common = (schema: Schema) => ({
  type: 'postgres' as const,
  ...schema,
  migrationsTableName: MIGRATIONS_TABLE,
  installExtensions: false,
  poolErrorHandler: (error: unknown) =>
    new Logger('Database').warn({ message: 'a pooled connection broke', error: describeError(error) }),
});

function requireVersion({ driver }: DataSource): void {
  const version = driver.version ?? '';
  if (parseInt(version, 10) < OLDEST_SERVER) {
    throw new Error(`PostgreSQL ${OLDEST_SERVER} or newer is needed; DATABASE_URL leads to ${version}.`);
  }
}

// Nest destroys the data source too, when it closes an application that has it.
const destroy = async (dataSource: DataSource) => {
  if (dataSource.isInitialized) await dataSource.destroy();
};
