// Runs the tests: on the embedded database, or with --postgres on a real server, where none is skipped. Other arguments
// go to Jest.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from './postgres.mjs';

await import('./build-if-stale.mjs');

const onServer = process.argv.includes('--postgres');
const jestArguments = process.argv.slice(2).filter((argument) => argument !== '--postgres');
const directory = mkdtempSync(join(tmpdir(), 'ums-test-'));
const report = join(directory, 'report.json');
const server = onServer ? await startPostgres(directory) : undefined;

try {
  const env = {
    ...process.env,
    NODE_OPTIONS: '--experimental-vm-modules', // which PGlite needs for its own imports
    NODE_NO_WARNINGS: '1',
    UMS_TEST_DIRECTORY: directory,
    UMS_TEST_SERVER: server?.url ?? '',
  };
  // One migrated database; every test file works on a copy of its own.
  const template = server
    ? { DATABASE_URL: await server.createDatabase('ums_template') }
    : { DATA_DIR: join(directory, 'template') };
  execFileSync(process.execPath, ['dist/src/cli.js', 'migrate'], {
    env: { ...process.env, ...template },
    stdio: 'ignore',
  });

  const jest = ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${report}`, ...jestArguments];
  process.exitCode =
    spawnSync(process.execPath, jest, { env, stdio: ['ignore', 'ignore', 'inherit'] }).status ?? 1;

  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
  if (numPendingTests > 0) {
    const reason = onServer
      ? 'see above'
      : 'they need a PostgreSQL server with several connections; npm run test:postgres runs them';
    process.stdout.write(`Skipped ${numPendingTests} tests: ${reason}.\n`);
  }
  process.stdout.write(
    `Tests: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped\n`,
  );
} finally {
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
}
