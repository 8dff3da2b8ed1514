// Records which statements the service sends in a suite, for cover.cjs, into a file of the folder RECORD_STATEMENTS.
const { writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const pg = require('pg');

/** Of each text of the suite, what normalized() makes of it; undefined if a test itself has sent it first. */
let known = new Map();
/** Of each statement of the suite, for which engines the tests are that sent it, as support/engine.ts says. */
let statements = new Map();
let isListening = false;

function begin() {
  if (!process.env.RECORD_STATEMENTS) return;
  known = new Map();
  statements = new Map();
  if (!isListening) listen();
  isListening = true;
}

function end(rootDir, path) {
  if (!process.env.RECORD_STATEMENTS) return;
  const suite = relative(rootDir, path);
  const sent = [...statements].map(([sql, engines]) => ({ sql, engines: [...engines] }));
  writeFileSync(
    join(process.env.RECORD_STATEMENTS, `${suite.replace(/\W/g, '-')}.json`),
    JSON.stringify({ suite, statements: sent }),
  );
}

function listen() {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (...args) {
    const [sent] = args;
    const texts = typeof sent === 'string' ? [sent] : (sent?.texts ?? [sent?.text]); // of a StatementBatch
    const isOfService = this.constructor !== pg.Client; // a test connects with the driver's own
    if (isOfService) for (const text of texts) if (typeof text === 'string') note(text);
    return query.apply(this, args);
  };
}

function note(text) {
  if (!known.has(text)) known.set(text, isOfTest() ? undefined : normalized(text));
  const sql = known.get(text);
  if (sql === undefined) return;
  const engines = statements.get(sql) ?? new Set();
  statements.set(sql, engines.add(globalThis[Symbol.for('engine of the test')] ?? ''));
}

/** Whether a test sends the statement itself, not by a call of the service. */
function isOfTest() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  Error.prepareStackTrace = (_, calls) => calls.map((call) => call.getFileName() ?? ''); // without source maps
  const files = new Error().stack.filter((file) => !/node_modules|test\/support\/run/.test(file));
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  const isOfService = files.some((file) => /\/(src|migrations)\/(?!platform\/database\/)/.test(file));
  return !isOfService && files.some((file) => file.includes('/test/'));
}

/** Without what differs from call to call: how many rows, values and changed columns there are, and numbers. */
function normalized(text) {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\$\d+(?:::[\w[\]]+)?/g, '$')
    .replace(/\b\d+\b/g, '0')
    .replace(/\$(?:, ?\$)+/g, '$')
    .replace(SAME_ROWS, '$1')
    .replace(/ SET (?:"\w+" = \$(?:, )?)+/g, ' SET … ')
    .trim();
}

/** Equal rows in parentheses, one after the other, whose values may have parentheses three deep. */
const SAME_ROWS = (() => {
  const inner = Array.from({ length: 3 }).reduce((text) => `(?:[^()]|\\(${text}*\\))`, '[^()]');
  return new RegExp(`(\\(${inner}*\\))(?:, ?\\1)+`, 'g');
})();

module.exports = { begin, end };
