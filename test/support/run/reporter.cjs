// Says at the end of a run which tests were skipped and which suites were left out, and why, and whether the covers
// (cover.cjs) lack statements that the run has recorded.
const { readdirSync } = require('node:fs');
const cover = require('./cover.cjs');
const { commandOfOther, reasonOfRun } = require('./selection.cjs');

const say = (line) => process.stdout.write(`${line}\n`);

module.exports = class {
  constructor(globalConfig) {
    this.isWhole = globalConfig.filter !== undefined && globalConfig.filter !== null;
  }

  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests, testResults } = results;
    if (this.isWhole) sayLeftOut();
    if (this.isWhole && process.env.RECORD_STATEMENTS && numFailedTestSuites === 0) this.#judgeCovers();
    const skipped = testResults
      .flatMap((suite) => suite.testResults)
      .filter(({ status }) => status === 'pending');
    for (const [reason, tests] of grouped(skipped, ({ fullName }) => reasonToSkip(fullName)))
      say(`Skipped ${tests.length} tests: ${reason}.`);
    say(`Tests: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
  }

  /** Writes the covers, or has the run fail if they lack a statement. */
  #judgeCovers() {
    const records = cover.recordsIn(process.env.RECORD_STATEMENTS);
    if (process.env.WRITE_COVER) return cover.write(records);
    if (!cover.isWhole(records))
      return say('The covers are not judged: npm test has recorded no statements.');
    const lacking = cover.ENGINES.flatMap((engine) =>
      cover
        .missing(records, engine)
        .map(({ sql, suite }) => `No suite of the cover runs this of ${suite} on ${engine}: ${sql}`),
    );
    if (lacking.length === 0) return;
    for (const line of lacking) say(line);
    say('npm run test:cover chooses the suites anew.');
    this.error = new Error('The covers lack statements.'); // Jest fails for it, and does not print it
  }

  getLastError() {
    return this.error;
  }
};

/** Why tests are skipped, by what support/engine.ts and support/browser.ts add to their titles. */
const REASONS = {
  '(on postgres)': 'they need several connections, which a PostgreSQL server has (npm run test:postgres)',
  '(on citus)': 'they need a cluster (npm run test:citus)',
  '(not on embedded)': 'an open transaction would keep the only connection',
  '(not on citus)': 'a cluster does not have triggers, foreign keys of other tables, or plans as JSON',
  '(in a browser)': 'they need Chromium on the PATH or in CHROMIUM_PATH',
};
const reasonToSkip = (title) =>
  Object.entries(REASONS).find(([words]) => title.includes(words))?.[1] ??
  'what they need of the machine is missing, as their suites say above';

function sayLeftOut() {
  const names = readdirSync('test', { recursive: true }).filter((name) => name.endsWith('.spec.ts'));
  const reasonOf = (name) => reasonOfRun(`test/${name}`);
  const commandOf = (name) => commandOfOther(`test/${name}`);
  const others = grouped(names.filter(commandOf), commandOf);
  for (const [command, suites] of others) say(`${command} runs ${suites.length} other suites.`);
  const left = names.filter((name) => !commandOf(name) && reasonOf(name) !== undefined);
  for (const [reason, suites] of grouped(left, reasonOf))
    say(`Left out ${suites.map((name) => name.replace('.spec.ts', '')).join(', ')}: ${reason}.`);
}

function grouped(all, keyOf) {
  const groups = new Map();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}
