// Which suites a whole run takes. A suite says in the comment that it begins with what it leaves out, each with the
// reason:
//
//     /**
//      * @slow <why>               npm test leaves it out; a server runs it
//      * @only <engine …>: <why>   the other engines leave it out
//      */
//
// Any engine can run it by name, except the tests that describeOn() or itNotOn() (support/engine.ts) restrict.
const { readFileSync } = require('node:fs');

/** Why a whole run on an engine leaves a suite out; undefined if it does not. */
function reasonToLeaveOut(path, engine) {
  const comment = /^\/\*\*[^]*?\*\//.exec(readFileSync(path, 'utf8'))?.[0] ?? '';
  const slow = /@slow (.+)/.exec(comment)?.[1];
  if (slow && engine === 'embedded') return `slow: ${slow}`;
  const [, engines, why] = /@only ([^:]+): (.+)/.exec(comment) ?? [];
  return !engines || engines.split(' ').includes(engine) ? undefined : why;
}

/** The suites that take the most time are of two kinds, for each of which the gate has a step of its own. */
function kindOf(path) {
  const text = readFileSync(path, 'utf8');
  if (text.includes('describeInBrowser(')) return 'browser';
  return /^ \* @slow it starts (a process|processes)$/m.test(text) ? 'processes' : 'others';
}

/** The kind that this run takes, as the options of scripts/test.mjs name it; without one, it takes all. */
const kind = () => process.env.TEST_SELECTION;

/** The engine of this run. Behind PgBouncer runs what a server runs. */
const engine = () => (process.env.TEST_ENGINE ?? 'embedded').replace('pgbouncer', 'postgres');

module.exports = (paths) => ({
  filtered: paths.filter(
    (path) => reasonToLeaveOut(path, engine()) === undefined && (!kind() || kind() === kindOf(path)),
  ),
});
Object.assign(module.exports, { engine, kindOf, reasonToLeaveOut });
