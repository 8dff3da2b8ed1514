import type { DataSource } from 'typeorm';
import { migrate } from '../database/migrate';
import { schema as tables } from '../schema';
import { openGuest } from './guest';

/**
 * Brings the tables of the service up to date, in one transaction and under a lock, and returns the names of what was
 * done. A table of its own, `ums_migrations`, remembers it; the migrations of the data source are left alone.
 */
export const runMigrations = async (
  dataSource: DataSource,
  { schema }: { schema?: string } = {},
): Promise<string[]> => migrate(await openGuest(dataSource, tables, schema));
