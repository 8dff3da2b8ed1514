// A PostgreSQL that stays up between runs of the tests: a cluster of an installed one, for this user and this folder of
// the project.
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir, uptime, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isAlive, makeCluster, unprivilegedUser } from './postgres.mjs';

const project = createHash('sha256').update(process.cwd()).digest('hex').slice(0, 8);
const folder = join(tmpdir(), `ums-kept-${userInfo().uid}-${project}`);
const data = join(folder, 'postgres'); // where makeCluster() puts it
const pidFile = join(data, 'postmaster.pid');
const startFile = join(data, 'postmaster.opts'); // written by each start

/** Its URL. Starts it if it is not there. */
export const keptPostgres = () =>
  locked(async () => {
    const server = await running();
    if (server) return server.url;
    // A cluster without fsync may be torn by a crash of the machine, and one that never started is a part of one.
    const started = existsSync(startFile) ? statSync(startFile).mtimeMs : 0;
    if (started < Date.now() - uptime() * 1000) removeData();
    return start().catch(() => {
      removeData();
      return start();
    });
  });

const start = async () => (await makeCluster(folder, {}, undefined, { isKept: true })).url;
const removeData = () => rmSync(data, { recursive: true, force: true });

/** Stops it, and removes its data. */
export const stopKeptPostgres = () =>
  locked(async () => {
    const server = await running();
    if (server) {
      process.kill(server.pid, 'SIGINT');
      while (existsSync(pidFile)) await sleep(50); // the last that it removes
    }
    removeData();
    return server !== undefined;
  });

async function running() {
  if (!existsSync(pidFile)) return undefined;
  const [pid, , , port] = readFileSync(pidFile, 'utf8').split('\n');
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const client = new pg.Client(url);
  try {
    await client.connect();
    const { rows } = await client.query('SHOW data_directory');
    await client.end();
    // After a restart of the machine, another server may have the port.
    return rows[0].data_directory === data ? { pid: Number(pid), url } : undefined;
  } catch (error) {
    if (error.code === 'ECONNREFUSED') return undefined;
    throw error;
  }
}

/** One process at a time. The lock of a process that has ended does not count. */
async function locked(run) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const owners = [userInfo().uid, unprivilegedUser()?.uid];
  if (!lstatSync(folder).isDirectory() || !owners.includes(lstatSync(folder).uid))
    throw new Error(`${folder} belongs to another user.`);
  const lock = join(folder, 'lock');
  for (;;)
    try {
      symlinkSync(String(process.pid), lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      await sleep(100);
      const holder = holderOf(lock);
      if (holder !== undefined && !isAlive(holder)) rmSync(lock, { force: true });
    }
  return run().finally(() => rmSync(lock, { force: true }));
}

function holderOf(lock) {
  try {
    return Number(readlinkSync(lock));
  } catch {
    return undefined; // given back meanwhile
  }
}
