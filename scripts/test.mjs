// Runs the tests on the embedded database, with --postgres on a real server, with --pgbouncer on a server behind PgBouncer, or
// with --citus on a cluster that distributes every database. All other arguments go to Jest, options as --name=value. Without
// the name of a suite, it runs what test/support/run/selection.cjs selects for the engine.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { NO_CITUS } from './citus.mjs';

const engines = process.argv.filter((argument) => /^--(postgres|pgbouncer|citus)$/.test(argument));
const [engine = 'embedded'] = engines.map((argument) => argument.slice(2));
if (engine === 'citus' && NO_CITUS) {
  process.stdout.write(`The tests on a cluster are skipped: ${NO_CITUS}.\n`);
  process.exit();
}

const jestArguments = process.argv.slice(2).filter((argument) => !engines.includes(argument));
const named = jestArguments.filter((argument) => !argument.startsWith('-'));
if (named.length === 0) jestArguments.push('--filter', './test/support/run/selection.cjs');
if (engine === 'citus') jestArguments.push('--passWithNoTests'); // a name may be that of a test in test/citus

const { status } = spawnSync(process.execPath, ['node_modules/jest/bin/jest.js', ...jestArguments], {
  stdio: 'inherit',
  env: { ...process.env, TEST_ENGINE: engine },
});
process.exitCode = status ?? 1;
if (engine === 'citus' && !runClusterTests(named)) process.exitCode = 1;

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
