// No tenant stops another's webhooks or the events of a host's subscribers.
//
// A quiet tenant creates a few users beside each attack. Always asserted: all of its events reach its receiver and the
// subscriber, in order, while the attack goes on. That they come within two seconds of the response is asserted in the
// full form only, and fails only twice in a row, each time beside a control of its own: the machine may be busy.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { stop } from './cluster.mjs';
import { ask, until } from './load.mjs';
import {
  fillShare,
  fillsShare,
  fillsShareForLong,
  MANY_CALLERS,
  movesMembers,
  readsForLong,
} from './deliveries/attacks.mjs';
import { startQuietTenant } from './deliveries/quiet-tenant.mjs';
import { makeTokensDue, WEBHOOKS } from './deliveries/requests.mjs';
import { slowReceivers } from './deliveries/slow-receivers.mjs';
import { waitingWebhook } from './deliveries/waiting.mjs';
import { postgresPlace } from './neighbours/places.mjs';
import { atExit, report, SHORT } from './scene.mjs';

const EVENTS = SHORT ? 10 : 60;
const CONTROL_EVENTS = SHORT ? 4 : 60;
const MAX_P99_MS = 2_000;

/** The service refuses a request that takes longer. */
const MAX_REQUEST_MS = 5_000;
/** Deliveries that are due: as many as a webhook has requests in progress at once. */
const AT_ONCE = 10;
/** A token is warned of every 30 s, with jitter, and first as long after the start. */
const WARNED_WITHIN_MS = 60_000;

const ATTACKS = {
  'an organization that moves all its users in and out of groups': movesMembers,
  'an organization with a full share and 50,000 new events': fillsShare,
  'an organization with a full share and new events now and then': fillsShareForLong,
  'an organization with a full share of long reads': readsForLong,
  'sixty slow receivers that are new': slowReceivers({ areKnown: false }),
  'sixty receivers that are known to be slow': slowReceivers({ areKnown: true }),
};

/** Attacks that make events late, but in a short run not so late that they do not come. */
const FULL_ONLY = [movesMembers, fillsShareForLong, readsForLong];
const IN_FULL = 'it takes minutes: in the full form only';

for (const [name, prepare] of Object.entries(ATTACKS)) {
  const skip = SHORT && FULL_ONLY.includes(prepare) && IN_FULL;
  test(`the events of a tenant arrive beside ${name}`, { skip, timeout: 600_000 }, (t) => judge(t, prepare));
}

for (const count of SHORT ? [300_000] : [10_000, 300_000]) {
  for (const [what, method, body, expected] of [
    ['disabled', 'PATCH', { enabled: false }, 200],
    ['deleted', 'DELETE', undefined, 204],
  ])
    test(`a webhook for which ${count} deliveries wait is ${what} within a request`, async (t) => {
      const { send, ended } = await waitingWebhook(t, await startService(t), count);
      const { status, ms, text } = await send(method, '', body);
      report(t, { status, ms: Math.round(ms) });
      assert.equal(status, expected, text);
      assert.ok(ms < MAX_REQUEST_MS);
      // Those of a deleted webhook are removed with all that are old.
      if (method === 'PATCH') report(t, { 'until none waits, ms': await ended() });
    });

  test(`a receiver that is gone is not called again, though ${count} deliveries wait`, async (t) => {
    const { seen, isGone, ended } = await waitingWebhook(t, await startService(t), count, AT_ONCE);
    await until(async () => seen.count > AT_ONCE || (await isGone()));
    const called = seen.count;
    assert.ok(called <= AT_ONCE, `it is called ${called} times`);
    report(t, { called, 'until none waits, ms': await ended() });
    await sleep(SHORT ? 6_000 : 20_000); // a pause after failures takes 5 s
    assert.equal(seen.count, called, 'it is not called again');
  });
}

test('no delivery is added to 10,000 that wait', async (t) => {
  const service = await startService(t);
  const { send, post, events } = await waitingWebhook(t, service, 10_000);
  await post('users', { name: 'Ada', email: 'ada@example.com' });
  const [{ id: eventId }] = await events('user.created');
  const answers = [await send('POST', '/test'), await send('POST', '/redeliver', { eventId })];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [409, 409],
  );
});

test(
  'a token is warned of beside an organization with a full share and due tokens',
  { skip: SHORT && IN_FULL },
  async (t) => {
    const service = await startService(t);
    const { place, url } = service;
    const [full, other] = [await place.newOrganization('Full'), await place.newOrganization('Other')];
    await makeTokensDue(service, full.admin, 12, 6);
    const release = await fillShare({ url, place, admin: full.admin, callers: MANY_CALLERS });
    await makeTokensDue(service, other.admin, 1, 6.5); // in the order of their ends it is the last
    const isWarned = async () => {
      await sleep(500);
      const { text } = await ask(url, '/api/v1/events?type=token.expiring', { token: other.admin });
      return JSON.parse(text).data.length > 0;
    };
    const ms = await until(isWarned, 3 * WARNED_WITHIN_MS).finally(async () => report(t, await release()));
    report(t, { ms });
    assert.ok(ms < WARNED_WITHIN_MS);
  },
);

async function judge(t, prepare) {
  const place = await postgresPlace();
  const { url, host } = await startHost(place);
  const quiet = await startQuietTenant(place, url, host);
  t.after(async () => {
    await quiet.stop();
    host.kill('SIGKILL');
    await place.stop();
  });
  const attack = await prepare({ t, url, place });

  const measure = async () => {
    await until(
      async () => (await place.query('SELECT FROM events WHERE sequence IS NULL LIMIT 1')).length === 0,
    );
    const control = await quiet.run({ ...attack.events, count: CONTROL_EVENTS });
    const { end, isOver } = await attack.begin();
    const attacked = await quiet.run({ count: EVENTS, ...attack.events }, isOver);
    const measured = { control, attacked, attack: await end() };
    note(t, measured);
    for (const part of [control, attacked]) requireAll(part);
    return ['receiver', 'subscriber'].every((at) => attacked[at].p99 <= MAX_P99_MS);
  };
  const isInTime = (await measure()) || SHORT || (await measure());
  assert.ok(isInTime, `99 of 100 events arrive within ${MAX_P99_MS} ms`);
}

/** Starts the service, on its own database. */
async function startService(t) {
  const place = await postgresPlace();
  Object.assign(place.environment, WEBHOOKS);
  const service = await place.start();
  t.after(async () => {
    await stop([service]);
    await place.stop();
  });
  return { place, url: service.url };
}

/** Starts the host application on the place's tables. */
async function startHost({ database }) {
  const host = fork('test/faults/deliveries/host.cjs', {
    env: { PATH: process.env.PATH, DATABASE_URL: database, ...WEBHOOKS },
  });
  atExit(() => host.kill('SIGKILL'));
  const [{ url }] = await once(host, 'message');
  return { url, host };
}

function requireAll({ count, statuses, ...arrived }) {
  assert.deepEqual(statuses, Array(count).fill(201), 'the tenant is never refused');
  for (const [at, { sequences }] of Object.entries(arrived)) {
    assert.equal(sequences.length, count, `all events arrive at the ${at} while the attack goes on`);
    const rising = [...sequences].sort((a, b) => a - b);
    assert.deepEqual(sequences, rising, `the ${at} gets them in order`);
  }
}

function note(t, { control, attacked, attack }) {
  const figures = ({ count, ...arrived }, at) => {
    const { sequences, p50, p99, max } = arrived[at];
    return `${p50}/${p99}/${max} (${sequences.length} of ${count})`;
  };
  report(t, {
    'p50/p99/max ms at the receiver': figures(attacked, 'receiver'),
    'control ': figures(control, 'receiver'),
    'at the subscriber': figures(attacked, 'subscriber'),
    control: figures(control, 'subscriber'),
    attack,
  });
}
