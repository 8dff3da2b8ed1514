import type { Extensions, PGlite } from '@electric-sql/pglite' with { 'resolution-mode': 'import' };
import { setImmediate as nextRound } from 'node:timers/promises';
import pg from 'pg';

export interface Embedded {
  /** TypeORM options that select this database. */
  options: { driver: unknown; extra: object };
  close(): Promise<void>;
}

/**
 * Imports PGlite, which is PostgreSQL in this process, and returns the function that opens it on a directory, or in
 * memory without one. It has a single connection: code in a transaction must run all its queries through that
 * connection, or it deadlocks. Throws an error with this remedy if PGlite is not installed.
 */
export async function importPGlite(remedy: string) {
  const library = await import('@electric-sql/pglite').catch(notInstalled(remedy));
  const { createPgConfig } = await import('@electric-sql/pglite/node-postgres').catch(notInstalled(remedy));
  const { pg_trgm } = await import('@electric-sql/pglite/contrib/pg_trgm');
  const { btree_gin } = await import('@electric-sql/pglite/contrib/btree_gin');
  return async (directory?: string, extensions: Extensions = {}): Promise<Embedded> => {
    const pglite = await library.PGlite.create(directory, {
      extensions: { pg_trgm, btree_gin, ...extensions },
    });
    const Client = clientOf(pglite, createPgConfig);
    return {
      options: {
        driver: pg,
        // Requests queue for the single connection; they wait this long only if it is stuck.
        extra: { Client, max: 1, connectionTimeoutMillis: 30_000, idleTimeoutMillis: 0 },
      },
      close: () => pglite.close(),
    };
  };
}

/** A client per connection of the pool, because a shared one is unusable once the pool ends it. */
function clientOf(pglite: PGlite, createPgConfig: (pglite: PGlite) => object): typeof pg.Client {
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

  return class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      super({ ...config, ...createPgConfig(givingWay as PGlite) } as unknown as pg.ClientConfig);
    }

    // A client destroyed inside a transaction would leave the transaction open for the next client.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- two overloads
    override connect(...args: any[]): any {
      const rolledBack = pglite.exec('ROLLBACK');
      // eslint-disable-next-line @typescript-eslint/no-explicit-any -- passed on unchanged
      const connected = rolledBack.then(() => (super.connect as any)(...args));
      return args.length > 0 ? void connected.catch(args[0]) : connected;
    }
  };
}

const notInstalled = (remedy: string) => (error: unknown) => {
  if (!(error as NodeJS.ErrnoException).code?.endsWith('MODULE_NOT_FOUND')) throw error;
  throw new Error(`The embedded database is not installed. ${remedy}`);
};
