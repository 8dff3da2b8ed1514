// Runs once before all suites, however Jest was started: builds what is out of date, starts the engine in TEST_ENGINE,
// and migrates the database that every suite copies. With TEST_KEEP_TEMPLATE, that database stays in the server for the
// next run.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale } from '../../../scripts/stale.mjs';
import { findChromium } from '../../../scripts/chromium.mjs';
import { makeTemplate, startCitus } from '../../../scripts/citus.mjs';
import { startPgBouncer } from '../../../scripts/pgbouncer.mjs';
import { startPostgres } from '../../../scripts/postgres.mjs';
import { keepTemplate } from './template.mjs';

export default async function setup({ filter }) {
  buildIfStale();
  const engine = process.env.TEST_ENGINE ?? 'embedded';
  const directory = mkdtempSync(join(tmpdir(), 'ums-test-'));
  const servers = [];
  if (filter && engine === 'postgres') recordStatements(process.env.TEST_SELECTION);
  globalThis.stopEngine = async () => {
    for (const server of servers.reverse()) await server.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await start(engine, directory, servers);
  } catch (error) {
    await globalThis.stopEngine();
    throw error;
  }
}

/** The suites that are not slow begin a record (record.cjs), and the slow ones complete it. */
function recordStatements(kind) {
  if (kind !== 'others' && kind !== 'slow') return;
  process.env.RECORD_STATEMENTS = join('coverage', 'statements');
  if (kind === 'others') rmSync(process.env.RECORD_STATEMENTS, { recursive: true, force: true });
  mkdirSync(process.env.RECORD_STATEMENTS, { recursive: true });
}

async function start(engine, directory, servers) {
  const server = await startServer(engine, directory);
  if (server) servers.push(server);
  const pooler = engine === 'pgbouncer' ? await startPgBouncer(directory, server.url) : undefined;
  if (pooler) servers.push(pooler);
  let template = 'ums_template';
  if (process.env.TEST_KEEP_TEMPLATE && server) {
    const kept = await keepTemplate(server, (url) => run('migrate', { DATABASE_URL: url }));
    servers.push(kept);
    template = kept.name;
  } else {
    const database = server
      ? { DATABASE_URL: await server.createDatabase(template) }
      : { DATA_DIR: join(directory, 'template') };
    run('migrate', database);
    if (engine === 'citus') run('distribute', database);
  }
  if (engine === 'citus') {
    await server.createDatabase('ums_empty');
    for (const name of ['ums_template', 'ums_empty'])
      await makeTemplate(name, [server.url, ...server.workerUrls]);
  }
  // Jest's processes, which start later, inherit these.
  Object.assign(process.env, {
    UMS_TEST_DIRECTORY: directory,
    UMS_TEST_SERVER: server?.url ?? '',
    UMS_TEST_TEMPLATE: template,
    UMS_TEST_WORKERS: server?.workerUrls?.join(' ') ?? '',
    UMS_TEST_POOLER: pooler?.url ?? '',
    CHROMIUM_PATH: findChromium() ?? '',
  });
}

function run(command, database) {
  execFileSync(process.execPath, ['dist/src/cli.js', command], {
    env: { ...process.env, NODE_OPTIONS: '', ...database },
    stdio: ['ignore', 'ignore', 'pipe'], // standard error is in the message of a failure
  });
}

function startServer(engine, directory) {
  if (engine === 'embedded') return undefined;
  if (engine === 'citus') return startCitus(directory);
  if (engine === 'postgres' || engine === 'pgbouncer') return startPostgres(directory);
  throw new Error(`TEST_ENGINE is ${engine}; it can be embedded, postgres, pgbouncer or citus.`);
}
