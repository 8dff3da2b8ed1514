// A PostgreSQL server whose database stays in a folder, beside a file with the progress of filling it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { makeCluster, serverAt } from '../../scripts/postgres.mjs';
import { service, startServer, undoLater } from '../sides.mjs';

const require = createRequire(import.meta.url);
const { newTokenValue, hashOf, hintOf } = require('../../dist/src/tokens/token-value.js');
const { newId } = require('../../dist/src/database/id.js');

/** The settings of a server with 8 GB; autovacuum and crash safety are on. */
const SETTINGS = {
  fsync: 'on',
  shared_buffers: '2GB',
  maintenance_work_mem: '512MB',
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
};

export const say = (line = '') => process.stdout.write(`${line}\n`);

/** Opens the database of a folder. A new one gets organizations whose sizes fall with their rank. */
export async function openScale(folder, count) {
  const directory = resolve(folder);
  mkdirSync(directory, { recursive: true });
  const cluster = await makeCluster(directory, SETTINGS);
  undoLater(() => cluster.stop());
  const stateFile = join(directory, 'scale.json');
  const isNew = !existsSync(stateFile);
  const url = isNew ? await serverAt(cluster.url).createDatabase('scale') : urlOf(cluster.url);
  // The first start migrates.
  const server = await startServer(service, url);
  const client = new pg.Client(url);
  await client.connect();
  undoLater(() => client.end());
  const state = isNew
    ? await createOrganizations(client, count)
    : JSON.parse(readFileSync(stateFile, 'utf8'));
  const save = () => writeFileSync(stateFile, JSON.stringify(state));
  save();
  const { node } = process.versions;
  const version = (await client.query('SHOW server_version')).rows[0].server_version;
  say(
    `${state.users} users in ${state.organizations.length} organizations; Node ${node}, PostgreSQL ${version}, ` +
      `${cpus()[0].model.trim()} × ${cpus().length}; ${new Date().toISOString()}`,
  );
  return {
    state,
    save,
    databaseUrl: url,
    client,
    name: 'service',
    url: server.url,
    pid: server.pid,
    postgresPids: () => [cluster.pid()],
    organizations: state.organizations,
  };
}

function urlOf(server) {
  const url = new URL(server);
  url.pathname = 'scale';
  return url.href;
}

async function createOrganizations(client, count) {
  const organizations = [];
  for (let rank = 0; rank < count; rank++) {
    const organization = { id: newId('org'), token: newTokenValue(), weight: 1 / (rank + 5), users: 0 };
    await client.query(`INSERT INTO organizations (id, name) VALUES ($1, $2)`, [
      organization.id,
      `Scale ${rank}`,
    ]);
    await client.query(
      `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes) VALUES ($1, $2, 'Scale', $3, $4, '{admin}')`,
      [newId('tok'), organization.id, hashOf(organization.token), hintOf(organization.token)],
    );
    organizations.push(organization);
  }
  return { organizations, users: 0, isPieceOpen: false };
}
