// Starts PgBouncer in transaction mode with the settings from docs/pgbouncer.md.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, unprivilegedUser, waitFor } from './postgres.mjs';

const PROGRAM = ['pgbouncer', '/usr/sbin/pgbouncer'].find(
  (program) => spawnSync(program, ['--version']).error === undefined,
);

/** The reason why PgBouncer cannot be used; undefined if it is installed. */
export const NO_PGBOUNCER = PROGRAM ? undefined : 'pgbouncer is not installed';

export async function startPgBouncer(directory, databaseUrl) {
  if (!PROGRAM) throw new Error(NO_PGBOUNCER);
  const { hostname, port } = new URL(databaseUrl);
  const listenPort = await freePort();
  const owner = unprivilegedUser();
  const users = join(directory, 'users.txt');
  writeFileSync(users, '"postgres" ""\n');
  const settings = join(directory, 'pgbouncer.ini');
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${port} auth_user=postgres connect_query='SET statement_timeout = 5000; SET lock_timeout = 2000; SET idle_in_transaction_session_timeout = 5000; SET jit = off; SET max_parallel_workers_per_gather = 0'

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
auth_query = SELECT usename, passwd FROM pg_shadow WHERE usename = $1
pool_mode = transaction
ignore_startup_parameters = statement_timeout, lock_timeout, options
server_login_retry = 1
query_wait_timeout = 5
max_client_conn = 1000
default_pool_size = 20
`,
  );
  if (owner) for (const file of [users, settings]) chownSync(file, owner.uid, owner.gid);
  const pooler = spawn(PROGRAM, ['-q', settings], { ...owner, stdio: 'ignore' });
  const ended = new Promise((done) => pooler.once('exit', done));
  const url = new URL(databaseUrl);
  url.port = listenPort;
  await waitFor(url.href);
  return {
    url: url.href,
    stop: async () => {
      pooler.kill('SIGTERM');
      await ended;
    },
  };
}
