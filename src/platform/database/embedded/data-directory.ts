import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { dirname, join, relative, resolve } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { Logger } from '@nestjs/common';

/** The longest socket path that every platform supports. */
const MAX_SOCKET_PATH = 103;

/** The folder of PGlite's files. */
export const FILES = 'pg';

const LOCK_PREFIX = 'lock-';

/** PGlite creates its files with the mode 0666, so the directory keeps other users of the machine out. */
const PRIVATE = 0o700;

/**
 * Creates the directory of the embedded database if necessary, makes it private, locks it, and returns the function
 * that unlocks it.
 */
export async function lockDirectory(dataDir: string): Promise<() => Promise<void>> {
  try {
    makeDirectory(resolve(dataDir), PRIVATE);
    if (process.platform !== 'win32') makePrivate(resolve(dataDir));
    const lock = await takeLock(dataDir);
    return () => unlock(lock);
  } catch (error) {
    const [, reason] = getSystemErrorMap().get((error as NodeJS.ErrnoException).errno ?? 0) ?? [];
    if (!reason) throw error;
    throw unusable(dataDir, reason, error);
  }
}

const unusable = (dataDir: string, reason: string, cause?: unknown) =>
  new Error(
    `The embedded database cannot use the directory ${resolve(dataDir)}: ${reason}. Set DATA_DIR to a directory of its own that this user may write to, or DATABASE_URL to a PostgreSQL server.`,
    { cause },
  );

/**
 * Creates the directory and its parents, which need not be private. Node's `recursive` never ends where none can be
 * created, such as in /proc.
 */
function makeDirectory(path: string, mode?: number): void {
  if (existsSync(path) || dirname(path) === path) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (!existsSync(path)) throw error; // otherwise another process has created it meanwhile
  }
}

/**
 * Fails where others would keep their access: in another user's directory, or on a file system without modes. A
 * directory with anything else in it may be shared on purpose, such as /tmp.
 */
function makePrivate(path: string): void {
  const { uid, mode: former } = statSync(path);
  if (uid !== process.getuid!()) throw unusable(path, 'it belongs to another user');
  if (isPrivate(former)) return;
  const mode = (former & 0o777).toString(8);
  const names = readdirSync(path);
  if (!names.includes(FILES) && !names.every(isLock))
    throw unusable(path, `it has other files, and other users can access it (mode ${mode})`);
  chmodSync(path, PRIVATE);
  if (!isPrivate(statSync(path).mode))
    throw unusable(path, `other users can access it (mode ${mode}), and its file system keeps no other mode`);
  new Logger('Database').warn(`Other users could access ${path} (mode ${mode}). It is private now.`);
}

const isLock = (name: string) => name.startsWith(LOCK_PREFIX);

const isPrivate = (mode: number) => (mode & 0o077) === 0;

/**
 * PGlite does not lock its directory, and two processes on one directory lose each other's commits. A listening socket
 * is a lock that ends with its process, even after a crash. Each process listens on a name of its own before it looks
 * for other names, so of two that start together one sees the other, and stale sockets are removed without a race.
 */
async function takeLock(dataDir: string): Promise<Server> {
  if (process.platform === 'win32') {
    const pipe = `\\\\.\\pipe\\ums-${resolve(dataDir).replace(/[^A-Za-z0-9]/g, '-')}`;
    return listenAt(pipe).catch(() => Promise.reject(inUse(dataDir)));
  }
  const own = `${LOCK_PREFIX}${process.pid}-${randomBytes(4).toString('hex')}`;
  const lock = await listenAt(socketPath(dataDir, own));
  for (const name of readdirSync(dataDir)) {
    if (!isLock(name) || name === own) continue;
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
    `The embedded database in ${dataDir} is in use by another process. Stop that process first (the service, if it is running). Set DATA_DIR to another directory only if you want a second, empty database.`,
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

const listenAt = (path: string) =>
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
