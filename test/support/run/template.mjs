// The migrated template in a server that stays up between runs. Its name has a hash of what it is made of, so a run
// that finds it need not migrate.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { isAlive } from '../../../scripts/postgres.mjs';

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => `${folder}/${name}`);

function templateName() {
  const hash = createHash('sha256');
  for (const path of [...filesIn('migrations'), ...filesIn('src/platform/database'), 'src/schema.ts'])
    hash.update(`${path}\n${readFileSync(path)}`);
  return `ums_template_${hash.digest('hex').slice(0, 12)}`;
}

/**
 * Finds it, or makes it, and drops what earlier runs have left. Until it is stopped, no other run drops it. Locks are
 * of the session, so a killed run leaves none.
 */
export async function keepTemplate(server, migrate) {
  const name = templateName();
  const client = new pg.Client(server.url);
  client.on('error', () => {}); // the tests report it, too
  await client.connect();
  await client.query(`SELECT pg_advisory_lock(hashtext('ums_template'))`);
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
  if (rowCount === 0) {
    migrate(await server.createDatabase(`${name}_new`));
    await client.query(`ALTER DATABASE ${name}_new RENAME TO ${name}`);
  }
  await client.query('SELECT pg_advisory_lock_shared(hashtext($1))', [name]);
  await dropLeftovers(client, name);
  await client.query(`SELECT pg_advisory_unlock(hashtext('ums_template'))`);
  return { name, stop: () => client.end() };
}

/** Drops templates that no run uses, and the databases of processes that have ended. */
async function dropLeftovers(client, current) {
  const { rows } = await client.query(
    `SELECT datname AS name FROM pg_database WHERE datname ~ '^ums_(template_[0-9a-f]{12}|[0-9]+_[0-9a-z]+)' AND datname <> $1`,
    [current],
  );
  for (const { name } of rows) {
    const pid = /^ums_(\d+)_/.exec(name)?.[1];
    const isLeft = pid ? !isAlive(Number(pid)) : await isUnlocked(client, name);
    // Without FORCE: on a server of several machines, the process may run on another one.
    if (isLeft) await client.query(`DROP DATABASE IF EXISTS ${name}`).catch(() => {});
  }
}

async function isUnlocked(client, name) {
  const { rows } = await client.query(
    'SELECT pg_try_advisory_lock(hashtext($1)) AND pg_advisory_unlock(hashtext($1)) AS free',
    [name],
  );
  return rows[0].free;
}
