// No request keeps the event loop: the heaviest ones of every route, one at a time, and at the rate of one token.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { paced, tally, unexplained } from './load.mjs';
import { isOver } from './machine.mjs';
import { MAX_LIVEZ_MS, watchLivez } from './quiet.mjs';
import { KB, MB } from './requests/bodies.mjs';
import { CASES, unknown, unmeasured } from './requests/cases.mjs';
import { startService } from './requests/service.mjs';
import { SHORT } from './run.mjs';

/** The longest that one request may keep the event loop. */
const MAX_TURN_MS = 50;

/** The most bytes of an answer, which is built in memory, with the envelope of a page. An export is streamed. */
const mostBytes = (route) => {
  if (route.endsWith('/export')) return Infinity;
  return (/^GET \/(api\/)?v1\//.test(route) ? MB : 2 * MB) + KB;
};

/** A request that takes too long is repeated: others on the machine, and collections of garbage, only add to it. */
const MAX_TIMES = 5;

/** What one token may send for as long as it likes. */
const PER_SECOND = 16;
const SECONDS = SHORT ? 3 : 8;
/** Of how many routes the heaviest request is sent so often. */
const HEAVIEST = SHORT ? 8 : 40;
/** How many requests the short form shows. */
const SHOWN = 20;

const service = await startService();
const livez = await watchLivez(service.replica);
service.endings.push(livez.stop);
const measured = [];
after(() => {
  const rows = measured.map(({ route, what, ms, workedMs, livezMs, status, bytes }) => ({
    request: `${route}: ${what}`,
    'turn ms': ms,
    '/livez ms': livezMs,
    'of work': workedMs,
    status,
    bytes,
  }));
  console.table(SHORT ? rows.slice(0, SHOWN) : rows);
});

test('the heaviest requests of every route are known', () => {
  const message = 'add the heaviest requests that these routes allow to test/faults/requests/';
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
      assert.deepEqual(
        own.flatMap((one) => faultsOf(route, one)),
        [],
      );
    });
});

test('the heaviest requests at the rate of one token', { timeout: 900_000 }, async (t) => {
  assert.ok(measured.length > 0, 'they are those of the tests above');
  const slow = [];
  const heaviest = [...new Map(measured.toReversed().map((one) => [one.route, one])).values()];
  for (const one of heaviest.sort((a, b) => b.ms - a.ms).slice(0, HEAVIEST)) {
    const name = `${one.route}: ${one.what}`;
    const { answers, failures, ...figures } = await sendOften(one);
    t.diagnostic(JSON.stringify({ name, ...figures, answers: tally(answers) }));
    assert.deepEqual(tally(failures), {}, `${name}: /livez is answered`);
    // A caller that reads too slowly loses its connection.
    const answered = answers.filter(({ status }) => status > 0);
    assert.deepEqual(tally(unexplained(answered)), {}, `${name}: who is refused is told when to come back`);
    if (isLate(figures)) slow.push(`${name}: /livez ${figures.workedMs} ms`);
  }
  assert.deepEqual(slow, []);
});

/** What is wrong with a request, of those that have been sent. */
function faultsOf(route, { what, isExpected, isSlow, status, text, bytes, ms, workedMs }) {
  if (!isExpected) return [`${what}: ${status} ${text}`];
  const long = bytes > mostBytes(route) ? [`${what}: ${bytes} bytes`] : [];
  return isSlow ? [...long, `${what}: ${ms} ms, /livez ${workedMs} ms`] : long;
}

/** Prepares the requests of a second, and sends them again and again. */
async function sendOften({ route, make }) {
  const sends = [];
  for (let n = 0; n < PER_SECOND; n++) sends.push(await service.prepare(route, make, n));
  await look();
  const sent = [];
  await paced(PER_SECOND * SECONDS, 1_000 / PER_SECOND, (n) =>
    sent.push(sends[n % PER_SECOND]({ discard: true })),
  );
  const answers = await Promise.all(sent);
  return { answers, ...(await look()) };
}

/** Repeats the request while it seems to be too slow, and returns the best that has been seen. */
async function measure(route, what, make) {
  const best = { route, what, make, ms: Infinity, workedMs: Infinity, livezMs: Infinity, isSlow: true };
  for (let n = 0; best.isSlow && n < MAX_TIMES; n++) {
    const send = await service.prepare(route, make, n);
    await look();
    const { status, error, text, isExpected } = await send();
    Object.assign(best, {
      status: error ?? status,
      bytes: text === undefined ? undefined : Buffer.byteLength(text),
      isExpected,
    });
    if (!isExpected) return { ...best, text };
    const seen = await look();
    for (const figure of ['ms', 'workedMs', 'livezMs']) best[figure] = Math.min(best[figure], seen[figure]);
    best.isSlow = isLate(best) || isOver(best.ms, MAX_TURN_MS);
  }
  return best;
}

const isLate = ({ workedMs }) => isOver(workedMs, MAX_LIVEZ_MS);

/** What has been seen since the last look. */
async function look() {
  const seen = await livez.look();
  return { ms: await service.longestTurn(), ...seen };
}
