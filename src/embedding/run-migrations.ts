import type { DataSource } from 'typeorm';
import { migrate } from '../database/migrate';
import { schema as tables } from '../schema';
import { openGuest } from './guest';

/**
 * Brings the tables of the service up to date, each migration in a transaction of its own and all under a lock, and
 * returns the names of the migrations that ran. A table of their own, `ums_migrations`, records them, apart from the
 * data source's own.
 */
export const runMigrations = async (
  dataSource: DataSource,
  { schema }: { schema?: string } = {},
): Promise<string[]> => migrate(await openGuest(dataSource, tables, schema));
