import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join, relative, resolve } from 'node:path';
import pg from 'pg';

/** The longest socket path that every platform supports. */
const MAX_SOCKET_PATH = 103;

const LOCK_PREFIX = 'lock-';

export interface Embedded {
  /** TypeORM options that select this database. */
  options: { driver: unknown; extra: object };
  close(): Promise<void>;
}

/**
 * Opens PGlite, which is PostgreSQL in this process, on a directory. It has a single connection: code in a transaction must
 * run all its queries through that connection, or it deadlocks.
 */
export async function openEmbedded(dataDir: string): Promise<Embedded> {
  const { PGlite } = await import('@electric-sql/pglite').catch(notInstalled);
  const { createPgConfig } = await import('@electric-sql/pglite/node-postgres').catch(notInstalled);
  const { pg_trgm } = await import('@electric-sql/pglite/contrib/pg_trgm');
  const { btree_gin } = await import('@electric-sql/pglite/contrib/btree_gin');
  mkdirSync(dataDir, { recursive: true });
  const lock = await lockDirectory(dataDir);
  const pglite = await PGlite.create(join(dataDir, 'pg'), { extensions: { pg_trgm, btree_gin } }).catch(
    async (error: unknown) => {
      await unlock(lock);
      throw error;
    },
  );

  // One client per connection of the pool, because a shared one is unusable once the pool ends it.
  class EmbeddedClient extends pg.Client {
    constructor(config: pg.ClientConfig) {
      super({ ...config, ...createPgConfig(pglite) } as unknown as pg.ClientConfig);
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
      await unlock(lock);
    },
  };
}

/**
 * PGlite does not lock its directory, and two processes on one directory lose each other's commits. A listening socket is a
 * lock that ends with its process, even after a crash. Each process listens on a name of its own before it looks for other
 * names, so of two processes that start together at least one sees the other, and stale sockets are removed without a race.
 */
async function lockDirectory(dataDir: string): Promise<Server> {
  if (process.platform === 'win32') {
    const pipe = `\\\\.\\pipe\\ums-${resolve(dataDir).replace(/[^A-Za-z0-9]/g, '-')}`;
    return listen(pipe).catch(() => Promise.reject(inUse(dataDir)));
  }
  const own = `${LOCK_PREFIX}${process.pid}-${randomBytes(4).toString('hex')}`;
  const lock = await listen(socketPath(dataDir, own));
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith(LOCK_PREFIX) || name === own) continue;
    const path = socketPath(dataDir, name);
    if (await isListening(path)) {
      await unlock(lock);
      throw inUse(dataDir);
    }
    rmSync(path, { force: true });
  }
  return lock;
}

const inUse = (dataDir: string) =>
  new Error(
    `The embedded database in ${dataDir} is in use by another process. Stop that process first, or set DATA_DIR to another directory.`,
  );

function socketPath(dataDir: string, name: string): string {
  const absolute = join(resolve(dataDir), name);
  const path = [relative('.', absolute), absolute].find(
    (candidate) => Buffer.byteLength(candidate) <= MAX_SOCKET_PATH,
  );
  if (!path)
    throw new Error(`The path in DATA_DIR is too long for a lock: ${dataDir}. Choose a shorter one.`);
  return path;
}

const listen = (path: string) =>
  new Promise<Server>((done, fail) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', fail);
    server.listen(path, () => done(server.unref()));
  });

const isListening = (path: string) =>
  new Promise<boolean>((done) => {
    const socket = connect(path, () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });

const unlock = (lock: Server) => new Promise<void>((done) => lock.close(() => done()));

function notInstalled(error: unknown): never {
  if ((error as NodeJS.ErrnoException).code?.endsWith('MODULE_NOT_FOUND')) {
    throw new Error(
      'The embedded database is not installed. Set DATABASE_URL to a PostgreSQL server, or run npm install @electric-sql/pglite.',
    );
  }
  throw error;
}
