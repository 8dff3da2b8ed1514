// No tenant stops another's webhooks or the events of a host's subscribers.
//
// A quiet tenant creates a few users beside each attack. Always asserted: all of its events reach its receiver and the
// subscriber, in order, while the attack goes on. That they come within two seconds of the response is asserted in the
// full form only.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Attacker } from './attacker.mjs';
import { ATTACKS, newWebhook, waitingWebhook, WEBHOOKS } from './attacks/deliveries.mjs';
import { openPlace } from './attacks/places.mjs';
import { beside, judge, timesOf } from './harness.mjs';
import { until } from './load.mjs';
import { startWriter } from './quiet.mjs';
import { atExit, report, SHORT } from './run.mjs';

const EVENTS = { count: SHORT ? 10 : 60, everyMs: 250 };
const CONTROL_EVENTS = SHORT ? 4 : 60;
const MAX_P99_MS = 2_000;
/** How long the events of the quiet tenant may take after the last one before a run gives up. */
const GIVE_UP_MS = 30_000;

const WAITING = 300_000;
/** The service refuses a request that takes longer. */
const MAX_REQUEST_MS = 5_000;
/** Deliveries that are due: as many as a webhook has requests in progress at once. */
const AT_ONCE = 10;

for (const { name, inFull, prepare, send, events } of ATTACKS)
  test(
    `the events of a tenant arrive beside ${name}`,
    { skip: SHORT && inFull && 'it takes minutes: in the full form only', timeout: 600_000 },
    async (t) => {
      const place = await openPlace(t);
      const { url, host } = await startHost(t, place);
      const quiet = await quietTenant(t, place, url, host);
      const attacker = new Attacker({ t, url, place });
      const state = await prepare(attacker);
      const during = (of, act) => beside({ attacker, quiet: quiet({ ...EVENTS, ...of }), act });
      await judge({
        async measure() {
          const unnumbered = 'SELECT FROM events WHERE sequence IS NULL LIMIT 1';
          await until(async () => (await place.query(unnumbered)).length === 0);
          const control = await during({ ...events, count: CONTROL_EVENTS }, () => {});
          return { control: control.quiet, ...(await during(events, (a) => send(a, state))) };
        },
        note: ({ control, quiet: attacked, outcome }) =>
          report(t, {
            'p50/p99/max ms at the receiver': figures(attacked, 'receiver'),
            'control ': figures(control, 'receiver'),
            'at the subscriber': figures(attacked, 'subscriber'),
            control: figures(control, 'subscriber'),
            attack: outcome,
          }),
        assertAlways: ({ control, quiet: attacked }) => [control, attacked].forEach(assertAll),
        isInTime: ({ quiet: { arrived } }) => Object.values(arrived).every(({ p99 }) => p99 <= MAX_P99_MS),
        limit: `99 of 100 events arrive within ${MAX_P99_MS} ms`,
      });
    },
  );

for (const [what, method, body, expected] of [
  ['disabled', 'PATCH', { enabled: false }, 200],
  ['deleted', 'DELETE', undefined, 204],
])
  test(`a webhook for which ${WAITING} deliveries wait is ${what} within a request`, async (t) => {
    const { send } = await waitingWebhook(t, await startService(t), WAITING);
    const { status, ms, text } = await send(method, '', body);
    report(t, { status, ms: Math.round(ms) });
    assert.equal(status, expected, text);
    assert.ok(ms < MAX_REQUEST_MS);
  });

test(`a receiver that is gone is not called again, though ${WAITING} deliveries wait`, async (t) => {
  const { seen, isGone } = await waitingWebhook(t, await startService(t), WAITING, AT_ONCE);
  await until(async () => seen.count > AT_ONCE || (await isGone()));
  const called = seen.count;
  report(t, { called });
  assert.ok(called <= AT_ONCE, `it is called ${called} times`);
  await sleep(SHORT ? 6_000 : 20_000); // a pause after failures takes 5 s
  assert.equal(seen.count, called, 'it is not called again');
});

/** Starts the service, on its own database. */
async function startService(t) {
  const place = await openPlace(t);
  Object.assign(place.environment, WEBHOOKS);
  return { place, url: (await place.start()).url };
}

/** Starts the host application on the place's tables. */
async function startHost(t, { database }) {
  const host = fork('test/faults/attacks/host.cjs', {
    env: { PATH: process.env.PATH, DATABASE_URL: database, ...WEBHOOKS },
  });
  atExit(() => host.kill('SIGKILL'));
  t.after(() => host.kill('SIGKILL'));
  const [{ url }] = await once(host, 'message');
  return { url, host };
}

/**
 * A tenant that creates users, one every so often, while an attack is in effect, and waits until all their events have
 * arrived at its receiver and at the subscriber of the host, or until it is over: by default half a minute after the
 * last one.
 */
async function quietTenant(t, { quiet: { admin } }, url, host) {
  const writer = await startWriter(url, [admin]);
  t.after(writer.stop);
  await newWebhook(url, admin, {
    url: writer.receiver,
    types: ['user.created'],
    ordering: 'organization', // so that an order is promised
  });
  const seen = { receiver: [], subscriber: [] };
  writer.events.on('received', (event) => seen.receiver.push(event));
  host.on('message', (event) => seen.subscriber.push(event));

  return ({ count, everyMs }) => ({
    async end(isOver = () => false) {
      const before = mapped(seen, (events) => events.length);
      const since = () => mapped(seen, (events, at) => events.slice(before[at]));
      let giveUpAt = Infinity;
      const sending = writer.send(count, everyMs).finally(() => (giveUpAt = performance.now() + GIVE_UP_MS));
      const isComplete = () =>
        giveUpAt < Infinity && Object.values(since()).every((events) => events.length >= count);
      while (!isComplete() && !isOver() && performance.now() < giveUpAt) await sleep(10);
      const events = since();
      const answers = await sending;
      return {
        count,
        statuses: answers.map(({ status }) => status),
        arrived: mapped(events, outcomeOf(answers)),
      };
    },
  });
}

const mapped = (object, by) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, by(value, key)]));

/** The events in the order of their arrival, and how late they were after the response, in milliseconds. */
function outcomeOf(answers) {
  const times = new Map(answers.map(({ email, answeredAt }) => [email, answeredAt]));
  return (arrived) => ({
    sequences: arrived.map(({ sequence }) => sequence),
    ...timesOf(
      arrived
        .filter(({ email }) => times.has(email))
        .map(({ email, at }) => Math.max(0, at - times.get(email))),
    ),
  });
}

function assertAll({ count, statuses, arrived }) {
  assert.deepEqual(statuses, Array(count).fill(201), 'the tenant is never refused');
  for (const [at, { sequences }] of Object.entries(arrived)) {
    assert.equal(sequences.length, count, `all events arrive at the ${at} while the attack goes on`);
    const rising = [...sequences].sort((a, b) => a - b);
    assert.deepEqual(sequences, rising, `the ${at} gets them in order`);
  }
}

const figures = ({ count, arrived }, at) => `${arrived[at]} (${arrived[at].sequences.length} of ${count})`;
