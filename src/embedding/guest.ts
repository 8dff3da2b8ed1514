import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import { common, type Schema } from '../database/data-source';

type Pool = Pick<pg.Pool, 'connect'>;

/** Serves until the host ends its pool: the connections are the host's to close. */
class GuestDataSource extends DataSource {
  override async destroy(): Promise<void> {}
}

/**
 * A data source with our tables on the connections of another one. The host's own data source learns of no entity of ours,
 * so its `synchronize`, migrations and names stay as they were; and there is no second pool to size.
 */
export async function openGuest(host: DataSource, tables: Schema, schema?: string): Promise<DataSource> {
  if (host.options.type !== 'postgres') {
    throw new Error(`The service requires a PostgreSQL data source; this one is ${host.options.type}.`);
  }
  const pool = (host.driver as unknown as { master: Pool }).master;

  class HostPool extends EventEmitter {
    connect = pool.connect.bind(pool);
  }

  return new GuestDataSource({
    ...common(tables),
    schema: schema ?? host.options.schema,
    driver: { Pool: HostPool },
  }).initialize();
}
