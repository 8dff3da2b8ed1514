// Runs the tests on the embedded database, with --postgres on a real server, with --pgbouncer on a server behind PgBouncer, or
// with --citus on a cluster that distributes every database. All other arguments go to Jest. Without any, the embedded database
// skips the slow suites, and the servers skip suites that use no database and those of left-out.mjs.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium } from './chromium.mjs';
import { makeTemplate, NO_CITUS, startCitus } from './citus.mjs';
import { ON_CLUSTERS, ON_SERVERS } from './left-out.mjs';
import { startPgBouncer } from './pgbouncer.mjs';
import { startPostgres } from './postgres.mjs';

const onCluster = process.argv.includes('--citus');
if (onCluster && NO_CITUS) {
  process.stdout.write(`The tests on a cluster are skipped: ${NO_CITUS}.\n`);
  process.exit();
}

await import('./build-if-stale.mjs');

const behindPooler = process.argv.includes('--pgbouncer');
const onServer = onCluster || behindPooler || process.argv.includes('--postgres');
const jestArguments = process.argv
  .slice(2)
  .filter((argument) => !['--postgres', '--pgbouncer', '--citus'].includes(argument));
const isShort = !onServer && jestArguments.length === 0;
if (isShort) jestArguments.push('--testPathIgnorePatterns', 'slow-spec');
const named = jestArguments.filter((argument) => !argument.startsWith('-'));
const leftOut = onServer && named.length === 0 ? (onCluster ? ON_CLUSTERS : ON_SERVERS) : {};
const ignored = Object.keys(leftOut).map((name) => name.replaceAll('.', '\\.'));
const lost = onCluster
  ? []
  : slowSuites().filter((name) => ignored.some((start) => new RegExp(`^${start}`).test(name)));
if (lost.length > 0) throw new Error(`No engine would run ${lost.join(', ')}: see scripts/left-out.mjs`);
if (onServer && named.length === 0) ignored.push('[^/]*(?<!e2e-|slow-)spec');
if (onCluster) jestArguments.push('--passWithNoTests'); // a name may be that of a test in test/citus
jestArguments.push(...ignored.flatMap((name) => ['--testPathIgnorePatterns', `test/${name}`]));
const directory = mkdtempSync(join(tmpdir(), 'ums-test-'));
const report = join(directory, 'report.json');
const server = onCluster
  ? await startCitus(directory)
  : onServer
    ? await startPostgres(directory)
    : undefined;
const pooler = behindPooler ? await startPgBouncer(directory, server.url) : undefined;

try {
  const env = {
    ...process.env,
    NODE_OPTIONS: '--experimental-vm-modules', // PGlite needs it for its dynamic imports
    NODE_NO_WARNINGS: '1',
    UMS_TEST_DIRECTORY: directory,
    UMS_TEST_SERVER: server?.url ?? '',
    UMS_TEST_WORKERS: server?.workerUrls?.join(' ') ?? '',
    UMS_TEST_POOLER: pooler?.url ?? '',
    CHROMIUM_PATH: findChromium() ?? '',
  };
  // Migrate one template database; every test file works on its own copy.
  const template = server
    ? { DATABASE_URL: await server.createDatabase('ums_template') }
    : { DATA_DIR: join(directory, 'template') };
  for (const command of onCluster ? ['migrate', 'distribute'] : ['migrate'])
    execFileSync(process.execPath, ['dist/src/cli.js', command], {
      env: { ...process.env, ...template },
      stdio: ['ignore', 'ignore', 'pipe'], // standard error is in the message of a failure
    });
  if (onCluster) {
    await server.createDatabase('ums_empty');
    for (const name of ['ums_template', 'ums_empty'])
      await makeTemplate(name, [server.url, ...server.workerUrls]);
  }

  const jest = ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${report}`, ...jestArguments];
  process.exitCode =
    spawnSync(process.execPath, jest, { env, stdio: ['ignore', 'ignore', 'inherit'] }).status ?? 1;

  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
  if (isShort) {
    process.stdout.write(
      `Left out ${slowSuites().length} slow suites: npm run test:postgres runs them on a real server.\n`,
    );
  }
  if (numPendingTests > 0) {
    const reasons = [
      onCluster && 'those that need triggers, or foreign keys of other tables, which a cluster does not have',
      !onServer &&
        'those that need a PostgreSQL server with several connections (npm run test:postgres runs them)',
      !env.CHROMIUM_PATH && 'the dashboard tests, which need Chromium on the PATH or in CHROMIUM_PATH',
    ].filter(Boolean);
    process.stdout.write(`Skipped ${numPendingTests} tests: ${reasons.join('; ') || 'see above'}.\n`);
  }
  if (onCluster && !runClusterTests(named)) process.exitCode = 1;
  for (const [name, reason] of Object.entries(leftOut))
    process.stdout.write(`Left out ${name.replace(/\W$/, '')}…: ${reason}.\n`);
  process.stdout.write(
    `Tests: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped\n`,
  );
} finally {
  await pooler?.stop();
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Suites that the embedded database leaves out. */
function slowSuites() {
  return readdirSync('test').filter((name) => name.includes('.slow-spec.'));
}

/** The tests in test/citus, each on a cluster of its own that it may harm. */
function runClusterTests(patterns) {
  const files = readdirSync('test/citus')
    .filter((file) => file.endsWith('.test.mjs'))
    .map((file) => `test/citus/${file}`)
    .filter((file) => patterns.length === 0 || patterns.some((pattern) => new RegExp(pattern).test(file)));
  if (files.length === 0) return true;
  const options = ['--test', '--test-concurrency=1', '--test-force-exit', '--test-timeout=600000'];
  const { status } = spawnSync(process.execPath, [...options, '--test-reporter=spec', ...files], {
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return status === 0;
}
