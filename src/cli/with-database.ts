import type { DataSource } from 'typeorm';
import { type Config, readConfig } from '../process/config';
import { openDatabase } from '../database/data-source';
import { pendingMigrations } from '../database/migrate';
import { schema } from '../schema';

/**
 * Runs a command on the configured database and closes it. Only the embedded database is migrated first, because no
 * other process uses it.
 */
export async function withDatabase<Result>(
  run: (dataSource: DataSource) => Promise<Result>,
  timeouts?: object,
): Promise<Result> {
  const config: Config = readConfig(process.env);
  const database = await openDatabase(
    { ...config, migrate: config.databaseUrl === undefined },
    schema,
    timeouts,
  );
  try {
    await requireMigrated(database.dataSource);
    return await run(database.dataSource);
  } finally {
    await database.close();
  }
}

export async function requireMigrated(dataSource: DataSource): Promise<void> {
  const pending = await pendingMigrations(dataSource);
  if (pending.length > 0) throw new Error('The schema is older than this release. Run: ums migrate');
}
