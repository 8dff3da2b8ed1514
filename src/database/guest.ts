import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import { common, type Schema } from './data-source';

type Pool = Pick<pg.Pool, 'connect'>;

/**
 * A data source with our tables on the connections of another one. The application's own learns of no entity of ours, so
 * that its `synchronize`, its migrations and its names stay what they were; and there is no second pool to size.
 */
export async function openGuest(host: DataSource, tables: Schema, schema?: string): Promise<DataSource> {
  if (host.options.type !== 'postgres') {
    throw new Error(`The service needs a PostgreSQL data source; this one is ${host.options.type}.`);
  }
  const pool = (host.driver as unknown as { master: Pool }).master;

  class HostPool extends EventEmitter {
    connect = pool.connect.bind(pool);
    // The connections are the application's to close.
    end = (done: () => void) => done();
  }

  return new DataSource({
    ...common(tables),
    schema: schema ?? host.options.schema,
    driver: { Pool: HostPool },
  }).initialize();
}
