// Runs the end-to-end suite behind PgBouncer in transaction mode.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { NO_PGBOUNCER } from '../../scripts/pgbouncer.mjs';
import { atExit, report, SHORT } from './run.mjs';

/**
 * The short form covers every kind of statement; the full form skips only browser tests and those that take minutes.
 */
const SOME = SHORT
  ? ['test/users/users.spec', 'test/tokens/tokens.spec', 'test/pages/pages.spec']
  : ['--testPathIgnorePatterns=dashboard', '--testPathIgnorePatterns=cli/processes'];

test('the end-to-end suite passes behind PgBouncer', { skip: NO_PGBOUNCER, timeout: 900_000 }, async (t) => {
  const suite = spawn(process.execPath, ['scripts/test.mjs', '--pgbouncer', ...SOME], {
    env: { ...process.env, TEST_DATABASE_URL: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atExit(() => suite.kill('SIGTERM'));
  let output = '';
  for (const stream of [suite.stdout, suite.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [code] = await once(suite, 'close');
  report(t, { result: /Tests: \d+ passed, \d+ failed, \d+ skipped$/m.exec(output)?.[0] });
  assert.equal(code, 0, output);
});
