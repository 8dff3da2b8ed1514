import { EventEmitter } from 'node:events';
import { DataSource } from 'typeorm';
import { poolOf } from '../../platform/database/connections/pool';
import { commonOptions } from '../../platform/database/data-source';
import { migrate } from '../../platform/database/migrate';
import { schema as tables } from '../../schema';

/** Stays open until the host closes its pool, which owns the connections. */
class GuestDataSource extends DataSource {
  override async destroy(): Promise<void> {}
}

/**
 * A data source for our tables on the connections of the host's data source. Our entities are not registered with the
 * host's, so its `synchronize`, migrations and names are unaffected, and there is no second pool to size.
 */
export async function openGuest(host: DataSource, schema?: string): Promise<DataSource> {
  if (host.options.type !== 'postgres') {
    throw new Error(`The service requires a PostgreSQL data source; this one is ${host.options.type}.`);
  }
  if (schema !== undefined && !isSchemaName(schema)) {
    throw new Error(
      `The schema ${JSON.stringify(schema)} must have 1 to 63 bytes, and no quotation mark or full stop.`,
    );
  }
  const pool = poolOf(host);

  class HostPool extends EventEmitter {
    connect = pool.connect.bind(pool);
    options = pool.options;
  }

  return new GuestDataSource({
    ...commonOptions(tables),
    schema: schema ?? host.options.schema,
    driver: { Pool: HostPool },
  }).initialize();
}

/** Excludes what TypeORM would misread, and what PostgreSQL would cut off. */
const isSchemaName = (name: string) => /^[^".\0]+$/.test(name) && Buffer.byteLength(name) <= 63;

/**
 * Brings the tables of the service up to date, each migration in a transaction of its own and all under a lock, and
 * returns the names of the migrations that ran. A table of their own, `ums_migrations`, records them, apart from the
 * data source's own.
 */
export const runMigrations = async (
  dataSource: DataSource,
  { schema }: { schema?: string } = {},
): Promise<string[]> => migrate(await openGuest(dataSource, schema));
