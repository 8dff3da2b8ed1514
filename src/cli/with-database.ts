import type { DataSource } from 'typeorm';
import { type Config, readConfig } from '../config';
import { openDatabase } from '../database/data-source';
import { schema } from '../user-management.module';

/** Runs a command on the database that the environment names, and closes it. */
export async function withDatabase<Result>(
  run: (dataSource: DataSource) => Promise<Result>,
  override: Partial<Config> = {},
): Promise<Result> {
  const database = await openDatabase({ ...readConfig(process.env), ...override }, schema);
  try {
    return await run(database.dataSource);
  } finally {
    await database.close();
  }
}
