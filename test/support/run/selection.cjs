// Which suites a whole run takes. PostgreSQL runs all that it can; without it, the embedded database does. Otherwise
// that database and Citus repeat the suites of their cover (cover.cjs), slow or not, and run what is for them alone.
// Any engine can run a suite by name, except the tests that describeOn() or itNotOn() (support/engine.ts) restrict.
const { readFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { covers } = require('./cover.cjs');
const { isSlow, reasonToLeaveOut } = require('./head-comment.cjs');

const ROOT = join(__dirname, '..', '..', '..');

/** Why an engine that repeats what PostgreSQL has run leaves a suite out; undefined if it does not. */
function reasonNotToRepeat(path, engine) {
  const isRepeated =
    reasonToLeaveOut(path, 'postgres') !== undefined ||
    ['browser', 'processes'].includes(kindOf(path)) ||
    covers()[engine].includes(relative(ROOT, path)) ||
    readFileSync(path, 'utf8').includes(`describeOn('${engine}'`);
  return isRepeated
    ? reasonToLeaveOut(path, engine)
    : 'PostgreSQL runs them, and others send their statements here';
}

/** The suites that take the most time are of three kinds, for each of which the gate has a step of its own. */
const COMMANDS = {
  browser: 'npm run test:postgres -- --browser',
  processes: 'npm run test:postgres -- --processes',
  slow: 'npm run test:postgres -- --slow',
  others: 'npm test',
};
function kindOf(path) {
  if (!isSlow(path)) return 'others';
  const text = readFileSync(path, 'utf8');
  if (text.includes('describeInBrowser(')) return 'browser';
  return /^ \* @slow it starts (a process|processes)$/m.test(text) ? 'processes' : 'slow';
}

/** The engine of this run. Behind PgBouncer runs what a server runs. */
const engine = () => (process.env.TEST_ENGINE ?? 'embedded').replace('pgbouncer', 'postgres');

/** The command for a suite of another kind than this run takes; undefined for a suite of its kind. */
function commandOfOther(path) {
  const { TEST_SELECTION: kind, TEST_COVER } = process.env;
  const own = kindOf(path);
  const isOfKind = !kind || kind === own || (TEST_COVER && kind === 'others' && own === 'slow');
  return isOfKind ? undefined : COMMANDS[own];
}

/** Why this run leaves out a suite of its kind, as the options of scripts/test.mjs say. */
const reasonOfRun = (path) =>
  process.env.TEST_COVER ? reasonNotToRepeat(path, engine()) : reasonToLeaveOut(path, engine());

const isInRun = (path) => commandOfOther(path) === undefined && reasonOfRun(path) === undefined;

module.exports = (paths) => ({ filtered: paths.filter(isInRun) });
Object.assign(module.exports, { commandOfOther, engine, kindOf, reasonNotToRepeat, reasonOfRun });
