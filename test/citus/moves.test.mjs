// A worker is added to a cluster, and organizations move to it, while requests read and write them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startReplica, stop, UNLIMITED } from '../faults/cluster.mjs';
import { ask, newAgent, slowest, tally, until } from '../faults/load.mjs';
import { report } from '../faults/scene.mjs';
import { openPlace } from './place.mjs';

const ORGANIZATIONS_PER_NODE = 8;

let place;
let replica;

before(async () => {
  place = await openPlace({ organizations: ORGANIZATIONS_PER_NODE, spare: true });
  replica = await startReplica({ ...UNLIMITED, DATABASE_URL: place.url });
});
after(async () => {
  await stop([replica]);
  await place.stop();
});

/** One caller for each organization creates users, and reads what it has created. */
function startCallers() {
  const agent = newAgent();
  const answers = [];
  let isOver = false;
  const working = place.organizations.map(async ({ token }, caller) => {
    for (let n = 0; !isOver; n++) {
      const body = { name: `Moved ${n}`, email: `moved-${caller}-${n}@example.com` };
      const created = await ask(replica.url, '/api/v1/users', { method: 'POST', token, body, agent });
      answers.push(created);
      if (created.status !== 201) continue;
      const { id } = JSON.parse(created.text);
      answers.push(await ask(replica.url, `/api/v1/users/${id}`, { token, agent }));
      await sleep(20);
    }
  });
  return {
    answers,
    async stop() {
      isOver = true;
      await Promise.all(working);
    },
  };
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
