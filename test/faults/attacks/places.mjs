// Where attacks happen: the service on a private PostgreSQL, or on the embedded database. Each organization has an
// admin token, which makes the tokens of the runs.
import { join } from 'node:path';
import { askFor } from '../load.mjs';
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
export async function newTokens(url, token, count) {
  const request = { method: 'POST', token, body: { name: 'Run', scopes: ['admin'] } };
  const made = Array.from({ length: count }, () => askFor(url, '/v1/tokens', request));
  return (await Promise.all(made)).map((one) => one.token);
}
