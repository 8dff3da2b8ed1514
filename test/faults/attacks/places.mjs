// Where attacks happen: the service on a private PostgreSQL, with a quiet tenant. Each organization has an admin token,
// which makes the tokens of the runs.
import { askFor } from '../load.mjs';
import { ums } from '../replicas.mjs';
import { newOrganization } from '../rows.mjs';
import { openScene } from '../scene.mjs';

/** Ends with the test `t`, by default with the file. The service has its defaults, and tells where its metrics are. */
export async function openPlace(t) {
  const scene = await openScene({ replicas: 0, t });
  await ums(scene.environment, 'migrate');
  const organization = (name) => newOrganization(scene.query, name);
  return {
    ...scene,
    quiet: await organization('Quiet'),
    start: () => scene.start({ MANAGEMENT_PORT: '0' }),
    newOrganization: organization,
  };
}

/** New tokens of an organization, each with a limit of its own. */
export async function newTokens(url, token, count) {
  const request = { method: 'POST', token, body: { name: 'Run', scopes: ['admin'] } };
  const made = Array.from({ length: count }, () => askFor(url, '/v1/tokens', request));
  return (await Promise.all(made)).map((one) => one.token);
}
