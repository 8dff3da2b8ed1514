// Runs the tests in test/citus, each on a Citus cluster of its own that it may harm: nodes stop, and shards move.
// Arguments select test files by name.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { NO_CITUS } from './citus.mjs';
import { buildIfStale } from './stale.mjs';

if (NO_CITUS) {
  process.stdout.write(`The tests of clusters are skipped: ${NO_CITUS}.\n`);
  process.exit();
}
buildIfStale();

const named = process.argv.slice(2);
const files = readdirSync('test/citus')
  .filter((file) => file.endsWith('.test.mjs'))
  .filter((file) => named.length === 0 || named.some((name) => file.includes(name)));
if (files.length === 0) throw new Error(`No file in test/citus has a name with ${named.join(' or ')}.`);

process.stdout.write(`Test files: ${files.length}\n`);
const options = [
  '--test-concurrency=1',
  '--test-force-exit',
  '--test-timeout=1800000',
  '--test-reporter=spec',
];
const { status } = spawnSync(
  process.execPath,
  ['--test', ...options, ...files.map((file) => `test/citus/${file}`)],
  { stdio: 'inherit', env: { ...process.env, NODE_NO_WARNINGS: '1' } },
);
process.exitCode = status ?? 1;
