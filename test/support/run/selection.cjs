// Which suites a whole run takes. A suite says in the comment at its beginning what it leaves out, each with the reason:
//
//     /**
//      * @slow <why>               npm test leaves it out; a server runs it
//      * @only <engine …>: <why>   the other engines leave it out
//      */
//
// Any engine can still run it by name, but for what describeOn() and itNotOn() (support/engine.ts) reserve.
const { readFileSync } = require('node:fs');
const { extract, parse } = require('jest-docblock');

/** What keeps a suite out of a whole run on an engine; undefined if nothing does. */
function reasonToLeaveOut(path, engine) {
  const { slow, only } = parse(extract(readFileSync(path, 'utf8')));
  if (slow !== undefined && engine === 'embedded') return `slow: ${slow}`;
  if (only === undefined) return undefined;
  const [engines, why] = only.split(': ');
  return engines.split(' ').includes(engine) ? undefined : why;
}

/** The engine of this run. Behind PgBouncer runs what a server runs. */
const engine = () => (process.env.TEST_ENGINE ?? 'embedded').replace('pgbouncer', 'postgres');

module.exports = (paths) => ({
  filtered: paths.filter((path) => reasonToLeaveOut(path, engine()) === undefined),
});
module.exports.reasonToLeaveOut = reasonToLeaveOut;
