// Which suites another engine than PostgreSQL runs: few, whose statements are all that it can run. cover.json keeps
// them; `npm run test:cover` writes it. `npm test` on PostgreSQL compares it with the statements that it has recorded,
// and a run of the slow suites with those and its own.
const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { isSlow, reasonToLeaveOut } = require('./head-comment.cjs');

const FILE = join(__dirname, 'cover.json');

const ENGINES = ['embedded', 'citus'];

/** By engine, the suites of its cover. */
const covers = () => JSON.parse(readFileSync(FILE, 'utf8'));

/** What record.cjs has written in a folder. */
const recordsIn = (folder) =>
  readdirSync(folder)
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));

/** Whether an engine runs the tests that support/engine.ts restricts so. A cluster is a server, too. */
const runs = (engine, restriction) =>
  restriction === '' ||
  restriction === engine ||
  (restriction === 'postgres' && engine === 'citus') ||
  (restriction.startsWith('not ') && restriction !== `not ${engine}`);

/** By statement, the suites in which an engine can run it. */
function suitesByStatement(records, engine) {
  const suites = new Map();
  for (const { suite, statements } of records)
    for (const { sql, engines } of reasonToLeaveOut(suite, engine) ? [] : statements)
      if (engines.some((restriction) => runs(engine, restriction)))
        suites.set(sql, (suites.get(sql) ?? new Set()).add(suite));
  return suites;
}

/** The statements that an engine could run, but does not in these suites; each with a suite that sends it. */
function missing(records, engine, cover = covers()[engine]) {
  return [...suitesByStatement(records, engine)]
    .filter(([, suites]) => !cover.some((suite) => suites.has(suite)))
    .map(([sql, suites]) => ({ sql, suite: [...suites][0], suites }));
}

/** Suites for all statements, slow ones only for those that no other suite sends. */
function coverOf(records, engine) {
  const cover = [];
  complete(
    cover,
    records.filter(({ suite }) => !isSlow(suite)),
    engine,
  );
  complete(cover, records, engine);
  return cover.sort();
}

/** Adds, again and again, the suite with the most statements that are missing; of equal ones, the first by name. */
function complete(cover, records, engine) {
  for (;;) {
    const counts = new Map();
    for (const { suites } of missing(records, engine, cover))
      for (const suite of suites) counts.set(suite, (counts.get(suite) ?? 0) + 1);
    if (counts.size === 0) return;
    cover.push([...counts].sort(([, a], [, b]) => b - a)[0][0]);
  }
}

/** Whether the suites that are not slow have been recorded, too: those of the embedded database are none. */
const isWhole = (records) => covers().embedded.every((path) => records.some(({ suite }) => suite === path));

function write(records) {
  const cover = Object.fromEntries(ENGINES.map((engine) => [engine, coverOf(records, engine)]));
  writeFileSync(FILE, `${JSON.stringify(cover, undefined, 2)}\n`);
}

module.exports = { covers, ENGINES, isWhole, missing, recordsIn, write };
