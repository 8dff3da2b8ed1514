// Where the attacks happen: the service on a private PostgreSQL, or on the embedded database.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startReplica } from '../cluster.mjs';
import { ask, tally } from '../load.mjs';
import { newDirectory } from '../scene.mjs';
import { startPostgres } from '../servers.mjs';

const require = createRequire(import.meta.url);
const { newTokenValue, hashOf, hintOf } = require('../../../dist/src/tokens/token-value.js');
const { newId } = require('../../../dist/src/platform/database/id.js');

/** Runs the `ums` command line on a database. */
export const ums = (environment, ...options) =>
  promisify(execFile)(process.execPath, ['dist/src/cli.js', ...options], {
    env: { PATH: process.env.PATH, ...environment },
    maxBuffer: Infinity,
  });

/** The service with its defaults. */
async function startService(environment) {
  const replica = await startReplica({ ...environment, MANAGEMENT_PORT: '0' });
  const [, metrics] = /"metrics":"([^"]+)"/.exec(replica.output());
  return { ...replica, metrics: new URL(metrics) };
}

/** Adds the quiet tenant. */
const withQuietTenant = async (place) => ({ ...place, quiet: await place.newOrganization('Quiet') });

/** Each organization has an admin token, which makes the tokens of the runs. */
export async function postgresPlace() {
  const server = await startPostgres(newDirectory());
  const database = await server.createDatabase('ums');
  const environment = { DATABASE_URL: database };
  await ums(environment, 'migrate');
  const query = (sql, values) => server.query(sql, values, database);
  return withQuietTenant({
    name: 'PostgreSQL',
    environment,
    database,
    query,
    start: () => startService(environment),
    stop: () => server.stop(),
    async newOrganization(name) {
      const [id, admin] = [newId('org'), newTokenValue()];
      await query('INSERT INTO organizations (id, name) VALUES ($1, $2)', [id, name]);
      await query(
        `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes) VALUES ($1, $2, 'Admin', $3, $4, '{admin}')`,
        [newId('tok'), id, hashOf(admin), hintOf(admin)],
      );
      return { id, admin };
    },
  });
}

/** Only one process can use the embedded database, so organizations are made while the service is stopped. */
export async function embeddedPlace() {
  const environment = { DATA_DIR: join(newDirectory(), 'data'), DATABASE_URL: '' };
  const json = async (...options) => JSON.parse((await ums(environment, ...options, '--json')).stdout);
  return withQuietTenant({
    name: 'embedded',
    environment,
    start: () => startService({ ...environment, DATABASE_URL: 'embedded' }),
    stop: async () => {},
    async newOrganization(name) {
      const { id } = await json('organizations', 'create', name);
      const options = ['--organization', id, '--name', 'Admin', '--scopes', 'admin'];
      const { token: admin } = await json('tokens', 'create', ...options);
      return { id, admin };
    },
  });
}

/** New tokens of an organization, each with a limit of its own. */
export async function newTokens(url, admin, count) {
  const body = { name: 'Run', scopes: ['admin'] };
  const answers = await Promise.all(
    Array.from({ length: count }, () => ask(url, '/v1/tokens', { method: 'POST', token: admin, body })),
  );
  assert.deepEqual(tally(answers), { 201: count });
  return answers.map(({ text }) => JSON.parse(text).token);
}
