// No request keeps the event loop: the heaviest ones of every route, one at a time, and at the rate of one token.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { stop } from './cluster.mjs';
import { CASES, missing, superfluous } from './event-loop/cases.mjs';
import { startService } from './event-loop/service.mjs';
import { tally } from './load.mjs';
import { report, SHORT } from './scene.mjs';

const MAX_TURN_MS = 50;
const MAX_LIVEZ_MS = 500;

/** How often a request is repeated that takes too long: the rest of the machine, and garbage of others, only add. */
const TIMES = 5;

const table = process.env.LOOP_TABLE;

let service;
before(async () => (service = await startService()));
after(async () => {
  await stop([service.replica]);
  await service.postgres.stop();
});

test('the heaviest requests of every route are known', () => {
  assert.deepEqual(missing, [], 'add the heaviest allowed requests of these routes to test/faults/event-loop/');
  assert.deepEqual(superfluous, [], 'these routes are gone');
});

const measured = [];

test('one request', async (t) => {
  const livez = await service.watchLivez();
  t.after(() => livez.stop());
  for (const one of CASES) measured.push(await measure(one, livez));
  if (table) {
    const { writeFileSync } = await import('node:fs');
    const rows = [...measured].sort((a, b) => b.ms - a.ms).map(({ name, ms, all, livezMs, status, error, bytes }) =>
      `| ${name} | ${ms} | ${all.join(' ')} | ${Math.round(livezMs)} | ${status} | ${bytes} | ${error ?? ''} |`);
    writeFileSync(table, ['| request | longest turn, best, ms | all | /livez ms | status | bytes | wrong |', '|---|---|---|---|---|---|---|', ...rows, ''].join('\n'));
  }
  assert.deepEqual(measured.filter(({ error }) => error).map(({ name, error }) => `${name}: ${error}`), []);
  assert.deepEqual(measured.filter(({ ms }) => ms > MAX_TURN_MS).map(({ name, ms }) => `${name}: ${ms} ms`), []);
});

async function measure(one, livez) {
  const all = [];
  let status, error, livezMs = Infinity, bytes;
  for (let n = 0; n < TIMES; n++) {
    let request;
    try { request = await one.make(service.scene, n); } catch (e) { return { name: one.name, ms: 0, all, livezMs: 0, status, bytes, error: e.message.slice(0, 300) }; }
    await service.longestTurn();
    await livez.look();
    const answer = await service.send(one, request);
    await sleep(10);
    all.push(Math.round(await service.longestTurn()));
    const seen = await livez.look();
    livezMs = Math.min(livezMs, seen.longestMs);
    status = answer.status || answer.error;
    bytes = answer.text?.length;
    const expected = [request.status ?? [200, 201, 202, 204]].flat();
    if (!expected.includes(answer.status)) error = `${status} ${answer.text?.slice(0, 300)}`;
    if (!table && all.at(-1) <= MAX_TURN_MS) break;
  }
  return { name: one.name, ms: Math.min(...all), all, livezMs, status, error, bytes };
}
