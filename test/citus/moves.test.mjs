// A worker is added to a cluster, and organizations move to it, while requests read and write them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, newAgent, repeat, slowest, tally, until } from '../faults/load.mjs';
import { UNLIMITED } from '../faults/replicas.mjs';
import { report } from '../faults/run.mjs';
import { openPlace } from './place.mjs';

const ORGANIZATIONS_PER_NODE = 8;

const place = await openPlace({
  organizations: ORGANIZATIONS_PER_NODE,
  spare: true,
  environment: UNLIMITED,
});
const { url } = place.replica;

/** One caller for each organization creates users, and reads what it has created. */
function startCallers() {
  const agent = newAgent();
  return repeat(place.organizations.length, async (n, caller) => {
    const { token } = place.organizations[caller];
    const body = { name: `Moved ${n}`, email: `moved-${caller}-${n}@example.com` };
    const created = await ask(url, '/api/v1/users', { method: 'POST', token, body, agent });
    if (created.status !== 201) return created;
    const got = await ask(url, `/api/v1/users/${JSON.parse(created.text).id}`, { token, agent });
    await sleep(20);
    return [created, got];
  });
}

test('a worker is added, and organizations move to it: no request fails', async (t) => {
  const load = startCallers();
  t.after(load.stop);
  const worker = await place.addWorker();
  await place.query('SELECT citus_rebalance_start()');
  const stateOf = async () => (await place.query('SELECT state FROM pg_dist_background_job'))[0].state;
  await until(async () => ['finished', 'failed'].includes(await stateOf()), 120_000);
  await sleep(1_000);
  await load.stop();

  const moved = [];
  for (const { id, port } of place.organizations)
    if ((await place.portOf(id)) !== port) moved.push(await place.portOf(id));
  const created = load.answers.filter(({ status }) => status === 201).length;
  const [{ users }] = await place.query(
    'SELECT count(*)::int AS users FROM users WHERE organization_id = ANY ($1)',
    [place.organizations.map(({ id }) => id)],
  );
  report(t, {
    state: await stateOf(),
    moved: moved.length,
    answers: tally(load.answers),
    'slowest ms': slowest(load.answers),
  });
  assert.equal(await stateOf(), 'finished');
  assert.ok(
    moved.length > 0 && moved.every((port) => port === worker.port),
    'organizations have moved to it',
  );
  assert.deepEqual(tally(load.answers), { 200: created, 201: created }, 'no request fails');
  assert.equal(users, created + place.organizations.length, 'no user is lost');
});
