// Where attacks happen: the service on a private PostgreSQL, or on the embedded database. Each organization has an
// admin token, which makes the tokens of the runs.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ask, tally } from '../load.mjs';
import { startReplica, stop, ums } from '../replicas.mjs';
import { newOrganization } from '../rows.mjs';
import { newDirectory } from '../run.mjs';
import { openScene } from '../scene.mjs';

/** The service runs with its defaults, and tells where its metrics are. */
const METRICS = { MANAGEMENT_PORT: '0' };

/** Adds the quiet tenant. */
const withQuietTenant = async (place) => ({ ...place, quiet: await place.newOrganization('Quiet') });

/** Ends with the test `t`, by default with the file. */
export async function postgresPlace(t) {
  const scene = await openScene({ replicas: 0, t });
  await ums(scene.environment, 'migrate');
  return withQuietTenant({
    ...scene,
    name: 'PostgreSQL',
    start: () => scene.start(METRICS),
    newOrganization: (name) => newOrganization(scene.query, name),
  });
}

/** Only one process can use the embedded database, so organizations are made while the service is stopped. */
export async function embeddedPlace() {
  const environment = { DATA_DIR: join(newDirectory(), 'data'), DATABASE_URL: '' };
  const json = async (...options) => JSON.parse((await ums(environment, ...options, '--json')).stdout);
  return withQuietTenant({
    name: 'embedded',
    environment,
    start: () => startReplica({ ...environment, ...METRICS, DATABASE_URL: 'embedded' }),
    stop: (service) => stop([service]),
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
