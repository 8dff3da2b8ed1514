// Records which statements the service sends in a suite, for cover.cjs, into a file of the folder RECORD_STATEMENTS.
const { writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const pg = require('pg');

/** Of each text, what normalized() makes of it; undefined if a test itself has sent it. */
const known = new Map();
/** Of each statement of the suite, for which engines the tests are that sent it, as support/engine.ts says. */
let statements = new Map();
let isListening = false;

function begin() {
  if (!process.env.RECORD_STATEMENTS) return;
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
    const text = typeof args[0] === 'string' ? args[0] : args[0]?.text;
    const isOfService = this.constructor !== pg.Client; // a test connects with the driver's own
    if (isOfService && typeof text === 'string') note(text);
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
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  const frames = stack.split('\n').filter((frame) => !/node_modules|support\/run\//.test(frame));
  const isOfService = frames.some((frame) => /\/src\/(?!platform\/database\/)/.test(frame));
  return !isOfService && frames.some((frame) => /\/test\//.test(frame));
}

/** Without what differs from call to call: how many rows or values there are, and names that are made. */
function normalized(text) {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\$\d+(?:::[\w[\]]+)?/g, '$')
    .replace(/\b\d+\b/g, '0')
    .replace(/\$(?:, ?\$)+/g, '$')
    .replace(/(\([^()]*\))(?:, ?\1)+/g, '$1')
    .trim();
}

module.exports = { begin, end };
