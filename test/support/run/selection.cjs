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
  const text = readFileSync(path, 'utf8');
  const comment = /^\/\*\*[^]*?\*\//.exec(text)?.[0] ?? '';
  const slow = /@slow (.+)/.exec(comment)?.[1];
  if (slow && engine === 'embedded') return `slow: ${slow}`;
  const [, engines, why] = /@only ([^:]+): (.+)/.exec(comment) ?? [];
  if (engines && !engines.split(' ').includes(engine)) return why;
  return browserReason(text.includes('describeInBrowser('), process.env.TEST_SELECTION);
}

/** The gate has a step of its own for a browser: TEST_SELECTION is `browser` there, and `no-browser` in the others. */
function browserReason(drivesBrowser, selection) {
  if (selection === 'browser' && !drivesBrowser) return 'it drives no browser';
  if (selection === 'no-browser' && drivesBrowser) return 'it drives a browser';
  return undefined;
}

/** The engine of this run. Behind PgBouncer runs what a server runs. */
const engine = () => (process.env.TEST_ENGINE ?? 'embedded').replace('pgbouncer', 'postgres');

module.exports = (paths) => ({
  filtered: paths.filter((path) => reasonToLeaveOut(path, engine()) === undefined),
});
Object.assign(module.exports, { engine, reasonToLeaveOut });
