// Runs the tests: on PostgreSQL if it is installed, and otherwise on the embedded database. With --postgres they run
// on a server in any case, and with --pgbouncer on one behind PgBouncer. With --citus they run on a cluster that
// distributes every database, and with --embedded without a server; both run what they can refuse
// (test/support/run/cover.cjs). All other arguments go to Jest, options as --name=value.
//
// Without the name of a suite, it runs what test/support/run/selection.cjs selects: with --browser, --processes or
// --slow only the suites that drive a browser, start processes or are slow; with --others, or without one of the
// servers, only the rest. With --write-cover, it chooses the suites for the other engines.
import { spawnSync } from 'node:child_process';
import { NO_CITUS } from './citus.mjs';
import { hasPostgres } from './postgres.mjs';

const optionsOf = (pattern) => process.argv.slice(2).filter((argument) => pattern.test(argument));
const engines = optionsOf(/^--(embedded|postgres|pgbouncer|citus)$/);
const kinds = optionsOf(/^--(browser|processes|slow|others)$/);
const hasServer = Boolean(process.env.TEST_DATABASE_URL) || hasPostgres();

const [engine = hasServer ? 'postgres' : 'embedded'] = engines.map((argument) => argument.slice(2));
const isShort = engines.length === 0 || engine === 'embedded';
const [kind = isShort ? 'others' : ''] = kinds.map((argument) => argument.slice(2));
if (engine === 'citus' && NO_CITUS) {
  process.stdout.write(`The tests on a cluster are skipped: ${NO_CITUS}.\n`);
  process.exit();
}
if (engines.length === 0)
  process.stdout.write(
    hasServer
      ? 'The tests run on PostgreSQL.\n'
      : 'PostgreSQL is not installed: the tests that need no server run on the embedded database.\n',
  );

const own = [...engines, ...kinds, '--write-cover'];
const jestArguments = process.argv.slice(2).filter((argument) => !own.includes(argument));
const isWhole = jestArguments.every((argument) => argument.startsWith('-'));
if (isWhole) jestArguments.push('--filter', './test/support/run/selection.cjs');

const { status } = spawnSync(process.execPath, ['node_modules/jest/bin/jest.js', ...jestArguments], {
  stdio: 'inherit',
  env: {
    ...process.env,
    TEST_ENGINE: engine,
    TEST_SELECTION: kind,
    TEST_COVER: engines.some((name) => /embedded|citus/.test(name)) ? 'true' : '',
    WRITE_COVER: process.argv.includes('--write-cover') ? 'true' : '',
  },
});
process.exitCode = status ?? 1;
