// Runs the suites that the changes since the merge base with main concern, as test/support/run/changed.cjs chooses, on
// a PostgreSQL that stays up for the next run: that of TEST_DATABASE_URL, or an installed one.
//
//     --base=<commit>   the changes since that commit
//     --slow            the slow suites, too
//     --stop            stops that PostgreSQL
//
// All other arguments go to Jest, options as --name=value.
import { execFileSync, spawnSync } from 'node:child_process';
import { keptPostgres, stopKeptPostgres } from './kept-postgres.mjs';
import { hasPostgres } from './postgres.mjs';
import changes from '../test/support/run/changed.cjs';

const say = (line) => process.stdout.write(`${line}\n`);
const own = process.argv.slice(2).filter((argument) => /^--(base=.+|slow|stop)$/.test(argument));
const jestArguments = process.argv.slice(2).filter((argument) => !own.includes(argument));

if (own.includes('--stop')) {
  say((await stopKeptPostgres()) ? 'Stopped PostgreSQL.' : 'There was no PostgreSQL to stop.');
  process.exit();
}

const changed = changedSince(own.find((argument) => argument.startsWith('--base='))?.slice(7) ?? mergeBase());
const { suites, leftOut, unknown } = changes.suitesFor(changed);
const isSlow = own.includes('--slow');
const run = isSlow ? [...suites, ...leftOut.map(({ path }) => path)] : suites;
if (run.length > 0) process.exitCode = await runJest(run);
sayWhatIsMissing();

function changedSince(base) {
  const names = (...command) =>
    execFileSync('git', [...command, '-z'], { encoding: 'utf8' })
      .split('\0')
      .filter(Boolean);
  return [
    ...names('diff', '--name-only', '--no-renames', base),
    ...names('ls-files', '--others', '--exclude-standard'),
  ];
}

function mergeBase() {
  const { status, stdout } = spawnSync('git', ['merge-base', 'HEAD', 'main'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'HEAD';
}

async function runJest(paths) {
  const jest = ['node_modules/jest/bin/jest.js', ...jestArguments, '--runTestsByPath', ...paths];
  const { status } = spawnSync(process.execPath, jest, {
    stdio: 'inherit',
    env: { ...process.env, ...(await engine()) },
  });
  return status ?? 1;
}

async function engine() {
  if (process.env.TEST_DATABASE_URL || hasPostgres())
    return {
      TEST_ENGINE: 'postgres',
      TEST_DATABASE_URL: process.env.TEST_DATABASE_URL || (await keptPostgres()),
      TEST_KEEP_TEMPLATE: 'true',
    };
  say('No PostgreSQL is installed, so these run on the embedded database, which is slower to start.');
  return { TEST_ENGINE: 'embedded' };
}

function sayWhatIsMissing() {
  if (changed.length === 0) say('Nothing has changed.');
  if (unknown.length > 0)
    say(`No suite was chosen for ${unknown.join(', ')}. Everything: npm test, or npm run check.`);
  if (isSlow || leftOut.length === 0) return;
  for (const reason of new Set(leftOut.map((suite) => suite.reason))) {
    const names = leftOut.filter((suite) => suite.reason === reason).map(({ path }) => path.slice(5, -8));
    say(`Left out ${names.join(', ')}: ${reason}.`);
  }
  say('To run these as well: npm run test:changed -- --slow');
}
