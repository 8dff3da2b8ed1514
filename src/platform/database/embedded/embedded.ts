import { join, resolve } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import pg from 'pg';
import { FILES, lockDirectory } from './data-directory';
import { reasonOf } from '../errors';

export interface Embedded {
  /** TypeORM options that select this database. */
  options: { driver: unknown; extra: object };
  close(): Promise<void>;
}

/**
 * Opens PGlite, which is PostgreSQL in this process, on a directory. It has a single connection: code in a transaction
 * must run all its queries through that connection, or it deadlocks.
 */
export async function openEmbedded(dataDir: string): Promise<Embedded> {
  const { PGlite } = await import('@electric-sql/pglite').catch(notInstalled);
  const { createPgConfig } = await import('@electric-sql/pglite/node-postgres').catch(notInstalled);
  const { pg_trgm } = await import('@electric-sql/pglite/contrib/pg_trgm');
  const { btree_gin } = await import('@electric-sql/pglite/contrib/btree_gin');
  const unlock = await lockDirectory(dataDir);
  const pglite = await PGlite.create(join(dataDir, FILES), { extensions: { pg_trgm, btree_gin } }).catch(
    async (error: unknown) => {
      await unlock();
      throw new Error(
        `The embedded database in ${resolve(dataDir)} cannot be opened: ${reasonOf(error)}. Set DATA_DIR to another directory.`,
        { cause: error },
      );
    },
  );

  // PGlite answers before the event loop goes on, so many statements in a row would hold up all sockets and timers.
  const givingWay = {
    waitReady: pglite.waitReady,
    async execProtocolStream(...message: Parameters<typeof pglite.execProtocolStream>) {
      const answers = await pglite.execProtocolStream(...message);
      // Not in the middle of a statement, where another client would interfere.
      if (answers.some(({ name }) => name === 'readyForQuery')) await nextRound();
      return answers;
    },
  };

  // One client per connection of the pool, because a shared one is unusable once the pool ends it.
  class EmbeddedClient extends pg.Client {
    constructor(config: pg.ClientConfig) {
      super({ ...config, ...createPgConfig(givingWay as typeof pglite) } as unknown as pg.ClientConfig);
    }

    // A client destroyed inside a transaction would leave the transaction open for the next client.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- two overloads
    override connect(...args: any[]): any {
      const rolledBack = pglite.exec('ROLLBACK');
      // eslint-disable-next-line @typescript-eslint/no-explicit-any -- passed on unchanged
      const connected = rolledBack.then(() => (super.connect as any)(...args));
      return args.length > 0 ? void connected.catch(args[0]) : connected;
    }
  }

  return {
    options: {
      driver: pg,
      // Requests queue for the single connection; they wait this long only if it is stuck.
      extra: { Client: EmbeddedClient, max: 1, connectionTimeoutMillis: 30_000, idleTimeoutMillis: 0 },
    },
    close: async () => {
      await pglite.close();
      await unlock();
    },
  };
}

function notInstalled(error: unknown): never {
  if ((error as NodeJS.ErrnoException).code?.endsWith('MODULE_NOT_FOUND')) {
    throw new Error(
      'The embedded database is not installed. Set DATABASE_URL to a PostgreSQL server, or run npm install @electric-sql/pglite.',
    );
  }
  throw error;
}
