// Says at the end of a run which tests were skipped and which suites were left out, and why.
const { readdirSync } = require('node:fs');
const { engine, reasonToLeaveOut } = require('./selection.cjs');

const say = (line) => process.stdout.write(`${line}\n`);

module.exports = class {
  constructor(globalConfig) {
    this.isWhole = globalConfig.filter !== undefined && globalConfig.filter !== null;
  }

  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests }) {
    if (this.isWhole) sayLeftOut();
    if (numPendingTests > 0) say(`Skipped ${numPendingTests} tests: ${reasons().join('; ') || 'see above'}.`);
    say(`Tests: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
  }
};

function sayLeftOut() {
  const names = readdirSync('test', { recursive: true }).filter((name) => name.endsWith('.spec.ts'));
  const byReason = {};
  for (const name of names) {
    const reason = reasonToLeaveOut(`test/${name}`, engine());
    if (reason !== undefined) (byReason[reason] ??= []).push(name.replace('.spec.ts', ''));
  }
  for (const [reason, left] of Object.entries(byReason)) say(`Left out ${left.join(', ')}: ${reason}.`);
}

const reasons = () =>
  [
    engine() === 'citus' && 'what a cluster does not have, triggers and foreign keys of other tables',
    engine() === 'embedded' &&
      'what needs several connections, which a PostgreSQL server has (npm run test:postgres)',
    !process.env.CHROMIUM_PATH && 'the dashboard, which needs Chromium on the PATH or in CHROMIUM_PATH',
  ].filter(Boolean);
