import { DataSource } from 'typeorm';
import { runMigrations } from 'user-management-service';
import { database } from './database.js';

/** Run before a release starts: the application's tables refer to those of the service, so those come first. */
export async function migrate(): Promise<void> {
  const dataSource = await new DataSource(database).initialize();
  await runMigrations(dataSource, { schema: 'ums' });
  await dataSource.runMigrations();
  await dataSource.destroy();
}
