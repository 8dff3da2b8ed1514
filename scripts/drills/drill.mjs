// What both drills have in common: steps with their times, one line of verdict, and the service as a process.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const CLI = 'dist/src/cli.js';

const say = (text) => process.stdout.write(text);
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** A fault that the drill has found; the message is a sentence. */
export class Fault extends Error {}

export function requireThat(condition, sentence) {
  if (!condition) throw new Fault(sentence);
}

let isInStep = false;

/** The warnings and errors of the services. */
const logged = [];

/** What is to be done at the end, in reverse order. */
const ends = [];
export const atEnd = (end) => void ends.unshift(end);

async function end(code) {
  for (const one of ends.splice(0)) await Promise.resolve(one()).catch(() => {});
  process.exit(code);
}

/** Runs a drill in a folder of its own, which is removed at the end. The result of `run` is what has been seen. */
export async function drill(name, run) {
  const startedAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'ums-drill-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  process.once('SIGINT', () => end(130)).once('SIGTERM', () => end(143));
  try {
    const seen = await run(folder);
    say(`The ${name} drill has passed in ${seconds(startedAt)}: ${seen}.\n`);
    await end(0);
  } catch (error) {
    if (isInStep) say('failed\n');
    for (const line of logged) say(`The service has logged: ${line}\n`);
    say(`The ${name} drill has failed: ${error.message || error.code}\n`);
    await end(1);
  }
}

/** Prints the title, does the work, and prints what that notes, and how long it took. */
export async function step(title, work) {
  say(`${title} … `);
  isInStep = true;
  const startedAt = performance.now();
  let noted = '';
  const result = await work((text) => (noted = `${text}, `));
  isInStep = false;
  say(`${noted}${seconds(startedAt)}\n`);
  return result;
}

/**
 * The environment of a program: none of the variables of the service, which may name receivers, issuers and keys, but
 * those of Node and of PostgreSQL's programs.
 */
const environment = (more) => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(PATH|HOME|TMPDIR|LANG|PG.*|NODE_EXTRA.*)$/.test(name)),
  ),
  ...more,
});

/** Runs a program. Its command is never shown, because URLs have passwords. */
export const execute = (program, args, { env = {}, cwd } = {}) =>
  new Promise((done) =>
    execFile(program, args, { cwd, env: environment(env), maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      done({ code: error ? (error.code ?? error.signal) : 0, stdout, output: `${stdout}${stderr}`.trim() }),
    ),
  );

/** Runs a program that must not fail, and returns its standard output. */
export async function succeed(program, args, options) {
  const { code, stdout, output } = await execute(program, args, options);
  requireThat(code === 0, `${program} has failed with ${code}: ${output}`);
  return stdout;
}

/** A release: its folder, and the database that its programs use. */
export function releaseIn(cwd, env) {
  const ums = (...args) => execute(process.execPath, [CLI, ...args], { cwd, env });
  return {
    ums,
    /** The JSON that a command prints. */
    json: async (...args) => {
      const { code, stdout, output } = await ums(...args, '--json');
      requireThat(code === 0, `ums ${args.slice(0, 2).join(' ')} has failed: ${output}`);
      return JSON.parse(stdout);
    },
    start: () => start(cwd, { MIGRATE_ON_START: 'false', ...env }),
  };
}

/** Starts the service on a free port of loopback. */
async function start(cwd, env) {
  const child = spawn(process.execPath, [CLI, 'start', '--json'], {
    cwd,
    env: environment({
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'warn',
      SHUTDOWN_DRAIN_SECONDS: '2',
      ...env,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((done) => child.once('close', done));
  atEnd(() => {
    child.kill('SIGKILL');
    return ended;
  });
  let output = '';
  child.stderr.on('data', (chunk) => (output += chunk));
  const reported = new Promise((done) =>
    createInterface({ input: child.stdout }).on('line', (line) => {
      output += `${line}\n`;
      const { url, waiting, level } = line.startsWith('{') ? JSON.parse(line) : {};
      if (url && !waiting) done(url);
      if (level) logged.push(line);
    }),
  );
  const url = await Promise.race([
    reported,
    ended.then((code) => Promise.reject(new Fault(`The service has ended with ${code}: ${output.trim()}`))),
  ]);
  return {
    url,
    /** Ends it as Kubernetes does. */
    stop: async () => {
      child.kill('SIGTERM');
      const code = await ended;
      requireThat(code === 0, `The service has ended with ${code}: ${output.trim()}`);
    },
  };
}

/** Calls a service with a token. An answer with another status than the expected one is a fault. */
export function caller(url, token) {
  const call = async (expected, method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const answer = text === '' ? undefined : JSON.parse(text);
    requireThat(
      response.status === expected,
      `${method} ${path} answered ${response.status} instead of ${expected}: ${answer?.detail ?? text}`,
    );
    return answer;
  };
  return {
    get: (path, expected = 200) => call(expected, 'GET', path),
    post: (path, body, expected = 201) => call(expected, 'POST', path, body),
    patch: (path, body, expected = 200) => call(expected, 'PATCH', path, body),
    delete: (path, expected = 204) => call(expected, 'DELETE', path),
  };
}
