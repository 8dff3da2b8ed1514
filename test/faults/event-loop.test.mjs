// No request keeps the event loop: the heaviest ones of every route, one at a time, and at the rate of one token.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CASES, unknown, unmeasured } from './event-loop/cases.mjs';
import { slowness } from './event-loop/machine.mjs';
import { startService } from './event-loop/service.mjs';
import { MAX_LIVEZ_MS, watchLivez } from './livez.mjs';
import { tally } from './load.mjs';
import { unexplained } from './neighbours/run.mjs';
import { SHORT } from './scene.mjs';

/** The longest that one request may keep the event loop. */
const MAX_TURN_MS = 50;

/** A request that takes too long is repeated: others on the machine, and collections of garbage, only add to it. */
const MAX_TIMES = 5;

/** What one token may send for as long as it likes. */
const PER_SECOND = 16;
const SECONDS = SHORT ? 3 : 8;
/** How many of the heaviest requests are sent so often. */
const HEAVIEST = SHORT ? 8 : 40;
/** How many of them the short form shows. */
const SHOWN = 20;

let service;
let livez;
const measured = [];
before(async () => {
  service = await startService();
  livez = await watchLivez(service.url);
});
after(async () => {
  await livez.stop();
  await service.stop();
  const rows = measured.map(({ route, what, ms, livezMs, status, bytes }) => ({
    request: `${route}: ${what}`,
    'turn ms': ms,
    '/livez ms': livezMs,
    status,
    bytes,
  }));
  console.table(SHORT ? rows.slice(0, SHOWN) : rows);
});

test('the heaviest requests of every route are known', () => {
  const message = 'add the heaviest requests that these routes allow to test/faults/event-loop/requests/';
  assert.deepEqual(unmeasured, [], message);
  assert.deepEqual(unknown, [], 'remove the requests of these routes, which are gone');
});

describe('one request keeps the event loop for a moment only', () => {
  for (const [route, requests] of CASES)
    test(route, async () => {
      const own = [];
      for (const [what, make] of Object.entries(requests)) own.push(await measure(route, what, make));
      measured.push(...own);
      measured.sort((a, b) => b.ms - a.ms);
      const wrong = own.filter(({ isExpected }) => !isExpected);
      assert.deepEqual(
        wrong.map(({ what, status, text }) => `${what}: ${status} ${text}`),
        [],
      );
      const slow = own.filter(({ isSlow }) => isSlow);
      assert.deepEqual(
        slow.map(({ what, ms, livezMs }) => `${what}: ${ms} ms, /livez ${livezMs} ms`),
        [],
      );
    });
});

test('the heaviest requests at the rate of one token', { timeout: 900_000 }, async (t) => {
  const slow = [];
  assert.ok(measured.length > 0, 'they are those of the tests above');
  for (const one of measured.slice(0, HEAVIEST)) {
    const name = `${one.route}: ${one.what}`;
    const seen = [await sendOften(one)];
    if (isLate(seen[0])) seen.push(await sendOften(one));
    for (const { answers, ...figures } of seen)
      t.diagnostic(JSON.stringify({ name, ...figures, answers: tally(answers) }));
    assert.deepEqual(tally(seen.flatMap(({ answers }) => unexplained(answers))), {}, name);
    if (seen.every(isLate)) slow.push(`${name}: /livez ${seen.map(({ livezMs }) => livezMs)} ms`);
  }
  assert.deepEqual(slow, []);
});

const isLate = ({ livezMs }) => livezMs > MAX_LIVEZ_MS;

/** Prepares the requests of a second, and sends them again and again. */
async function sendOften({ route, make }) {
  const sends = [];
  for (let n = 0; n < PER_SECOND; n++) sends.push(await service.prepare(route, make, n));
  await look();
  const from = performance.now();
  const sent = [];
  for (let n = 0; n < PER_SECOND * SECONDS; n++) {
    sent.push(sends[n % PER_SECOND]());
    await sleep(Math.max(0, from + ((n + 1) * 1_000) / PER_SECOND - performance.now()));
  }
  const answers = await Promise.all(sent);
  return { answers, ...(await look()) };
}

async function measure(route, what, make) {
  const best = { route, what, ms: Infinity, livezMs: Infinity, isSlow: true };
  for (let n = 0; best.isSlow && n < MAX_TIMES; n++) {
    const send = await service.prepare(route, make, n);
    await look();
    const { status, error, text, isExpected } = await send();
    const seen = await look();
    best.ms = Math.min(best.ms, seen.ms);
    best.livezMs = Math.min(best.livezMs, seen.livezMs);
    best.isSlow =
      best.livezMs > MAX_LIVEZ_MS || (best.ms > MAX_TURN_MS && best.ms > MAX_TURN_MS * slowness());
    Object.assign(best, { status: error ?? status, bytes: text?.length, isExpected, make });
    if (!isExpected) return { ...best, text };
  }
  return best;
}

/** What has been seen since the last look. */
async function look() {
  const { longestMs } = await livez.look();
  return { ms: await service.longestTurn(), livezMs: longestMs };
}
