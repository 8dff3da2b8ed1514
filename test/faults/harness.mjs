// Measures and judges attacks: what somebody quiet notices of one, and what the process needs meanwhile.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, repeat } from './load.mjs';
import { SHORT } from './run.mjs';

const SAMPLE_MS = 250;
const MB = 1024 * 1024;

/**
 * An attack is an entry of a list:
 * - `name`, and `prepare(a)`, which runs once before, and returns what the others take as their second argument.
 * - `send(a, state)` attacks. It ends by itself, or returns when it is in effect; then it has returned `end()`, which
 *   tells what has become of it, and maybe `isOver()`.
 * - `control(a, state)` does no harm at the same rate.
 *
 * `quiet` begins before it and ends after it, or creates its users while it is in effect.
 */
export async function beside({ attacker, quiet, act, metrics }) {
  const stopSampling = metrics ? sample(metrics) : () => ({});
  await quiet.begin?.();
  const effect = await act(attacker);
  const seen = await quiet.end(effect?.isOver);
  const outcome = await effect?.end();
  await attacker.settle();
  return { quiet: seen, attacker, outcome, ...(await stopSampling()) };
}

/**
 * Judges what `measure()` returns. Limits of time are asserted in the full form only, and fail only twice in a row,
 * each time beside a control of its own: the machine may be busy.
 */
export async function judge({ measure, note, assertAlways, isInTime, limit }) {
  const measured = [await measure()];
  if (!SHORT && !isInTime(measured[0])) measured.push(await measure());
  for (const one of measured) note(one);
  for (const one of measured) assertAlways(one);
  assert.ok(SHORT || measured.some(isInTime), limit);
}

/** Times in milliseconds. */
export function timesOf(all) {
  const times = all.toSorted((a, b) => a - b);
  const at = (share) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))]);
  const [p50, p99, max] = [at(0.5), at(0.99), at(1)];
  return { p50, p99, max, toString: () => `${p50}/${p99}/${max}` };
}

/** Watches the process; returns its largest RSS and the longest delay of its event loop. */
function sample(metrics) {
  const worst = { rssMb: 0, loopMs: 0 };
  const { origin, pathname } = new URL(metrics);
  const looking = repeat(1, async (n) => {
    if (n > 0) await sleep(SAMPLE_MS);
    const { text = '' } = await ask(origin, pathname, { token: undefined });
    const read = (name) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? 0);
    worst.rssMb = Math.max(worst.rssMb, Math.round(read('process_resident_memory_bytes') / MB));
    const loopMs = Math.round(read('nodejs_eventloop_lag_max_seconds') * 1000);
    if (n > 0) worst.loopMs = Math.max(worst.loopMs, loopMs); // the first are the delays before the run
  });
  return () => looking.stop().then(() => worst);
}
