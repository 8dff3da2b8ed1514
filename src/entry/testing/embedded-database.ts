import pg from 'pg';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions';
import { importPGlite } from '../../platform/database/embedded/pglite';

/**
 * The TypeORM options of a new PostgreSQL in the memory of this process, for a test without a server. It ends with its
 * data source, and leaves nothing behind. It has one connection: in a transaction, run every query through its manager.
 */
export async function embeddedDatabase(): Promise<
  Pick<PostgresDataSourceOptions, 'type' | 'driver' | 'extra'>
> {
  const open = await importPGlite('Run npm install --save-dev @electric-sql/pglite.');
  const { options, close } = await open(undefined, await extensions());

  class EmbeddedPool extends pg.Pool {
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- two overloads; TypeORM passes a callback
    override end(callback?: (error?: Error) => void): any {
      const ended = super.end().then(close);
      return callback ? void ended.then(() => callback(), callback) : ended;
    }
  }

  return { type: 'postgres', driver: { Pool: EmbeddedPool }, extra: options.extra };
}

/** Those that TypeORM itself creates for the columns of a host. */
const extensions = async () => ({
  ...(await import('@electric-sql/pglite/contrib/uuid_ossp')),
  ...(await import('@electric-sql/pglite/contrib/pgcrypto')),
  ...(await import('@electric-sql/pglite/contrib/citext')),
  ...(await import('@electric-sql/pglite/contrib/hstore')),
  ...(await import('@electric-sql/pglite/contrib/cube')),
  ...(await import('@electric-sql/pglite/contrib/ltree')),
  ...(await import('@electric-sql/pglite/contrib/btree_gist')),
});
