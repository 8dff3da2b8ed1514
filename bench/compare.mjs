// Measures operations on several sides in alternating rounds, and prints a table: the rate, its ratio to that of the
// first side in the same round, the CPU time that Node and PostgreSQL need for a request or row, and the latency.
import { cpus } from 'node:os';
import autocannon from 'autocannon';
import { busyCpu, cpuOf, peakMemoryOf } from './process.mjs';
import { progress, say, STATES } from './scene.mjs';

/** The first round lasts this many times as long and does not count, because V8 optimizes the code meanwhile. */
const WARM_UP = 3;

/**
 * An operation is `{ name, requestOf(side) }`, with optional properties:
 * - `isFor(side)`: whether a side supports it;
 * - `rows`: how many users one request writes;
 * - `callers`: overrides the number of callers;
 * - `amountOf(side)`: the number of requests, instead of a duration;
 * - `rate`: sends so many a second instead of as many as possible;
 * - `onResponse(side, body, organization)`.
 * A request is `{ method, path, organization, body, headers }`. A body is sent as JSON, unless it is text.
 */
export async function compare(sides, operations, { state, title = state, rounds, seconds, callers }) {
  const results = new Map(operations.map((operation) => [operation, new Map()]));
  let foreign = 0;
  for (let round = 0; round <= rounds; round++) {
    for (const { client } of sides) await client.query(STATES[state]);
    // Every round has every operation, because the cost of a write depends on how many came before.
    for (const operation of operations)
      for (const side of round % 2 ? [...sides].reverse() : sides) {
        if (operation.isFor?.(side) === false) continue;
        const length = round === 0 ? seconds * WARM_UP : seconds;
        const result = await measure(side, operation, { seconds: length, callers });
        if (round === 0) continue;
        const bySide = results.get(operation);
        bySide.set(side, [...(bySide.get(side) ?? []), result]);
        foreign = Math.max(foreign, result.foreign);
      }
    progress(`${title}: ${round === 0 ? 'warm' : `round ${round} of ${rounds}`}`);
  }
  const { rows } = await sides[0].client.query('SHOW server_version');
  say(
    `\n${title}; Node ${process.versions.node}, PostgreSQL ${rows[0].server_version}, ${cpus()[0].model.trim()} × ${cpus().length}; ` +
      `${callers} callers; median (least–most) of ${rounds} rounds${seconds ? ` of ${seconds} s` : ''}. ` +
      `Other processes used up to ${Math.round(foreign * 100)} % of the machine. ` +
      `Memory: ${sides.map(({ name, pid }) => `${name} ${peakMemoryOf(pid)} MB`).join(', ')}.\n`,
  );
  sayTable(sides, results);
}

function sayTable(sides, results) {
  const [base] = sides;
  say(
    `| request | side | a second | ${base.name} is × of it | CPU of Node, µs | of PostgreSQL | p50 ms | p99 ms | max ms | failed |`,
  );
  say(`|${'---|'.repeat(10)}`);
  for (const [{ name }, bySide] of results)
    for (const side of sides.filter((one) => bySide.has(one))) {
      const all = (key) => bySide.get(side).map((one) => one[key]);
      const ratios = all('rate').map((rate, round) => bySide.get(base)[round].rate / rate);
      const cells = [name, side.name, range(all('rate'), 0), side === base ? '–' : range(ratios, 2)];
      for (const [key, digits] of [
        ['node', 0],
        ['postgres', 0],
        ['p50', 1],
        ['p99', 1],
      ])
        cells.push(median(all(key)).toFixed(digits));
      cells.push(Math.max(...all('max')).toFixed(1), sum(all('failed')));
      say(`| ${cells.join(' | ')} |`);
    }
}

/** Runs one operation, and returns its rate, its latency and the CPU time that it took. */
async function measure(side, operation, { seconds, callers }) {
  const { requestOf, onResponse, amountOf, rows = 1 } = operation;
  const amount = amountOf?.(side);
  const before = cpuTimes(side);
  const started = performance.now();
  const times = [];
  let ended = started;
  const load = autocannon({
    url: side.url,
    connections: Math.min(operation.callers ?? callers, amount ?? Infinity),
    ...(amount ? { amount } : { duration: seconds }),
    ...(operation.rate && { overallRate: operation.rate }),
    sampleInt: 100, // how often it checks whether the time is up
    requests: [
      {
        setupRequest(request, context) {
          const { method = 'GET', path, organization, body, headers } = requestOf(side);
          context.organization = organization;
          return {
            ...request,
            method,
            path,
            headers: {
              Authorization: `Bearer ${organization.token}`,
              ...(body && { 'Content-Type': 'application/json' }),
              ...headers,
            },
            body: typeof body === 'string' ? body : body && JSON.stringify(body),
          };
        },
        onResponse: onResponse && ((_, body, { organization }) => onResponse(side, body, organization)),
      },
    ],
  });
  load.on('response', (_client, _status, _bytes, ms) => {
    times.push(ms);
    ended = performance.now();
  });
  const { non2xx, errors, statusCodeStats } = await load;
  if (times.length === 0) throw new Error(`${side.name}, ${operation.name}: no response in ${seconds} s`);
  const failed = non2xx + errors;
  if (failed > 0)
    progress(`${side.name}, ${operation.name}: ${errors} errors, ${JSON.stringify(statusCodeStats)}`);
  const cpu = cpuTimes(side);
  const spent = (key) => cpu[key] - before[key];
  const took = (cpu.at - before.at) / 1_000;
  times.sort((a, b) => a - b);
  const done = times.length * rows;
  return {
    rate: (done / (ended - started)) * 1_000,
    node: (spent('node') / done) * 1e6,
    postgres: (spent('postgres') / done) * 1e6,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    max: times.at(-1),
    failed,
    foreign: (spent('busy') - spent('node') - spent('postgres') - spent('own')) / (took * cpus().length),
  };
}

function cpuTimes({ pid, postgresPids }) {
  const { user, system } = process.cpuUsage();
  return {
    node: cpuOf(pid),
    postgres: sum(postgresPids().map(cpuOf)),
    busy: busyCpu(),
    own: (user + system) / 1e6,
    at: performance.now(),
  };
}

const sum = (list) => list.reduce((total, one) => total + one, 0);

const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];

const median = (list) =>
  quantile(
    [...list].sort((a, b) => a - b),
    0.5,
  );

/** The median of a list, with its minimum and maximum. */
function range(list, digits) {
  const [least, most] = [Math.min(...list), Math.max(...list)].map((value) => value.toFixed(digits));
  return `${median(list).toFixed(digits)} (${least}–${most})`;
}
