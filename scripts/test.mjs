// Runs the tests on the embedded database, with --postgres on a real server, with --pgbouncer on a server behind
// PgBouncer, or with --citus on a cluster that distributes every database. All other arguments go to Jest, options as
// --name=value. Without the name of a suite, it runs what test/support/run/selection.cjs selects for the engine: with
// --browser or --processes only the suites that drive a browser or start processes, with --others only the rest.
import { spawnSync } from 'node:child_process';
import { NO_CITUS } from './citus.mjs';

const engines = process.argv.filter((argument) => /^--(postgres|pgbouncer|citus)$/.test(argument));
const [engine = 'embedded'] = engines.map((argument) => argument.slice(2));
if (engine === 'citus' && NO_CITUS) {
  process.stdout.write(`The tests on a cluster are skipped: ${NO_CITUS}.\n`);
  process.exit();
}

const kind = process.argv.find((argument) => /^--(browser|processes|others)$/.test(argument))?.slice(2);
const jestArguments = process.argv
  .slice(2)
  .filter((argument) => !engines.includes(argument) && argument !== `--${kind}`);
const isWhole = jestArguments.every((argument) => argument.startsWith('-'));
if (isWhole) jestArguments.push('--filter', './test/support/run/selection.cjs');

const { status } = spawnSync(process.execPath, ['node_modules/jest/bin/jest.js', ...jestArguments], {
  stdio: 'inherit',
  env: { ...process.env, TEST_ENGINE: engine, TEST_SELECTION: kind ?? '' },
});
process.exitCode = status ?? 1;
