// Runs the fault-injection suite on its own servers and replicas; --short uses smaller numbers. --test-name-pattern
// selects tests, and other arguments select test files by name: postgres, clock, …
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { buildIfStale } from './stale.mjs';

buildIfStale();

const DIRECTORY = 'test/faults/';
/** Minutes of the files that run by default in the short form only. */
const LONG = { deliveries: 15, leaks: 15, neighbours: 40 };

const short = process.argv.includes('--short');
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const files = readdirSync(DIRECTORY)
  .filter((file) => file.endsWith('.test.mjs'))
  .map((file) => file.replace('.test.mjs', ''))
  .filter((name) => (named.length > 0 ? named.includes(name) : short || !(name in LONG)));
// Only what hangs is ended: on a busy machine a file takes three times as long.
const minutes = 3 * Math.max(10, ...files.map((name) => (short ? 0 : (LONG[name] ?? 0))));

process.stdout.write(`Test files: ${files.length}\n`);
const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    '--test-concurrency=1',
    '--test-force-exit',
    `--test-timeout=${minutes * 60_000}`,
    '--test-reporter=spec',
    ...process.argv.filter((argument) => argument.startsWith('--test-name-pattern=')),
    ...files.map((name) => `${DIRECTORY}${name}.test.mjs`),
  ],
  { stdio: 'inherit', env: { ...process.env, FAULTS: short ? 'short' : 'full', NODE_NO_WARNINGS: '1' } },
);
process.exitCode = status ?? 1;
