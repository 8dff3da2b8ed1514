// What the nodes of a cluster write into their logs when a request fails in the database: no personal data.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, until } from '../faults/load.mjs';
import { openPlace } from './place.mjs';
import { logOf } from './statements.mjs';

const place = await openPlace({ settings: { logging_collector: 'on' } });

const user = { name: 'Zebulon', email: 'quagga@example.com', metadata: { team: 'okapi' } };
const TAKEN = 'users_organization_id_email_key_key';

/** Sends writes with an email that another user has got. */
async function fail() {
  const [{ token, userId }] = place.organizations;
  const send = (method, path) =>
    ask(place.replica.url, `/api/v1/users${path}`, { method, token, body: user }).then(
      ({ status }) => status,
    );
  await send('POST', '');
  assert.deepEqual([await send('POST', ''), await send('PATCH', `/${userId}`)], [409, 409]);
}

const personalIn = (log) => log.match(/zebulon|quagga|okapi/gi) ?? [];

test('no node logs a name, email or metadata of a write that fails, with the settings of docs/scaling.md', async () => {
  const nodes = [place.coordinator, ...place.workers];
  for (const node of nodes) {
    await place.queryOn(node, `ALTER SYSTEM SET log_min_error_statement = 'panic'`);
    await place.queryOn(node, `ALTER SYSTEM SET log_error_verbosity = 'terse'`);
    await place.queryOn(node, 'SELECT pg_reload_conf()');
  }
  await until(() => nodes.every((node) => /"log_error_verbosity" changed/.test(logOf(node))));
  const before = nodes.map((node) => logOf(node).length);
  await fail();
  const since = () => nodes.map((node, i) => logOf(node).slice(before[i])).join('');
  await until(() => since().includes(TAKEN));
  assert.deepEqual(personalIn(since()), []);
});
