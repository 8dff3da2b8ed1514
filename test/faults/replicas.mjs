// Runs replicas of the built service as processes.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { atExit } from './run.mjs';

const require = createRequire(import.meta.url);
const { newTokenValue } = require('../../dist/src/tokens/token/token-value.js');

/** The admin token of every database in these tests. */
export const ADMIN = newTokenValue();

/** A rate limit that no load reaches. */
export const UNLIMITED = { RATE_LIMIT_PER_MINUTE: '1000000000' };

/** Starts one replica. */
export function spawnReplica(env) {
  const child = spawn(process.execPath, ['dist/src/main.js', '--json'], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'warn',
      SHUTDOWN_DRAIN_SECONDS: '4',
      BOOTSTRAP_TOKEN: ADMIN,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atExit(() => child.kill('SIGKILL'));
  let output = '';
  const replica = {
    process: child,
    url: undefined,
    /** Where /metrics is, with a MANAGEMENT_PORT. */
    metrics: undefined,
    output: () => output,
    exit: once(child, 'close').then(([code, signal]) => code ?? signal),
  };
  replica.started = new Promise((done, fail) => {
    const read = (chunk) => {
      output += chunk;
      replica.url ??= /"url":"([^"]+)"/.exec(output)?.[1];
      replica.metrics ??= /"metrics":"([^"]+)"/.exec(output)?.[1];
      if (replica.url) done(replica);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    void replica.exit.then((code) => fail(new Error(`The service exited with ${code}: ${output}`)));
  });
  replica.started.catch(() => {});
  return replica;
}

export const startReplica = (env) => spawnReplica(env).started;

/** Stops them, and returns their exit codes. */
export async function stop(replicas) {
  for (const replica of replicas) replica.process.kill('SIGINT');
  return Promise.all(replicas.map(({ exit }) => exit));
}

/** Runs the `ums` command line on a database. */
export const ums = (environment, ...options) =>
  promisify(execFile)(process.execPath, ['dist/src/cli.js', ...options], {
    env: { PATH: process.env.PATH, ...environment },
    maxBuffer: Infinity,
  });

/** Environment of a replica that `held()` can inspect. */
export const WATCHED = { NODE_OPTIONS: '--require ./test/faults/watch.cjs' };

/** The heap of a WATCHED replica after a garbage collection, its RSS, and its active resources. */
export const held = (replica) => told(replica, 'held');

/** What a replica prints under this name at SIGUSR2, thanks to what is preloaded. */
export async function told({ process, output }, name) {
  const seen = output().length;
  process.kill('SIGUSR2');
  for (;;) {
    const [, said] = new RegExp(`${name}:(.*)\\n`).exec(output().slice(seen)) ?? [];
    if (said) return JSON.parse(said);
    await sleep(1);
  }
}
