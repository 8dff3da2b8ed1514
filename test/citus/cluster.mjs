// A Citus cluster for one test file, and the command line on its databases.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import pg from 'pg';
import { startCitus } from '../../scripts/citus.mjs';

/** Starts a cluster, which stops when the tests of the file are over. */
export async function startCluster(settings) {
  const directory = mkdtempSync(join(tmpdir(), 'ums-citus-'));
  const cluster = await startCitus(directory, settings);
  after(async () => {
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  return cluster;
}

/** Starts a command on the database. `ended` resolves to its exit code and what it has printed. */
export function ums(databaseUrl, ...args) {
  const child = spawn(process.execPath, ['dist/src/cli.js', ...args], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (chunk) => (printed[name] += chunk));
  const ended = once(child, 'close').then(([code]) => ({ code, ...printed }));
  return { child, printed, ended };
}

/** Runs a command on the database to its end. */
export const run = (databaseUrl, ...args) => ums(databaseUrl, ...args).ended;

/** Runs one statement and returns its rows. */
export async function query(url, sql, values) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}
