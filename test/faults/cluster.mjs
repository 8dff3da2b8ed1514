// Runs replicas of the built service as processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { atExit } from './scene.mjs';

const require = createRequire(import.meta.url);
const { newTokenValue, hashOf, hintOf } = require('../../dist/src/tokens/token-value.js');
const { newId } = require('../../dist/src/platform/database/id.js');

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
    output: () => output,
    exit: once(child, 'close').then(([code, signal]) => code ?? signal),
  };
  replica.started = new Promise((done, fail) => {
    const read = (chunk) => {
      output += chunk;
      replica.url ??= /"url":"([^"]+)"/.exec(output)?.[1];
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

export const startReplicas = (count, env) =>
  Promise.all(Array.from({ length: count }, () => startReplica(env)));

export async function stop(replicas) {
  for (const replica of replicas) replica.process.kill('SIGINT');
  return Promise.all(replicas.map(({ exit }) => exit));
}

/** Inserts tokens for an organization, by default the one that exists; returns their ids and values. */
export async function makeTokens(query, count, scopes = ['admin'], organization = undefined) {
  organization ??= (await query('SELECT id FROM organizations LIMIT 1'))[0].id;
  const tokens = Array.from({ length: count }, () => ({ id: newId('tok'), value: newTokenValue() }));
  await query(
    `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes)
     SELECT id, $1, 'Load', decode(hash, 'hex'), hint, $2
     FROM unnest($3::text[], $4::text[], $5::text[]) AS t (id, hash, hint)`,
    [
      organization,
      scopes,
      tokens.map(({ id }) => id),
      tokens.map(({ value }) => hashOf(value).toString('hex')),
      tokens.map(({ value }) => hintOf(value)),
    ],
  );
  return tokens;
}

/** Environment of a replica that `held()` can inspect. */
export const WATCHED = { NODE_OPTIONS: '--require ./test/faults/watch.cjs' };

/**
 * The replica's heap after a garbage collection, its RSS, its active resources, and whether its prototypes are
 * polluted.
 */
export async function held(replica) {
  const seen = replica.output().length;
  replica.process.kill('SIGUSR2');
  for (;;) {
    const [, said] = /held:(.*)\n/.exec(replica.output().slice(seen)) ?? [];
    if (said) return JSON.parse(said);
    await sleep(20);
  }
}
