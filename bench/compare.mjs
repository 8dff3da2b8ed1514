// Measures operations on several sides in alternating rounds, and prints one table for each operation: the rate, its ratio to that
// of the first side in the same round, and the CPU time that Node and PostgreSQL need for a request.
import { cpus } from 'node:os';
import autocannon from 'autocannon';
import { busyCpu, cpuOf } from './cpu.mjs';
import { progress } from './sides.mjs';

/** The first round lasts this many times as long and does not count, because V8 optimizes the code meanwhile. */
const WARM_UP = 3;

const say = (text) => process.stdout.write(`${text}\n`);

/**
 * An operation is `{ name, requestOf(side) }`, with optional properties:
 * - `isFor(side)`: whether a side supports it;
 * - `rows`: how many users one request writes;
 * - `callers`: overrides the number of callers;
 * - `amountOf(side)`: the number of requests, instead of a duration;
 * - `onResponse(side, body, organization)`.
 * A request is `{ method, path, organization, body, headers }`.
 */
export async function compare(sides, operations, { rounds, seconds, callers }) {
  const results = new Map(operations.map((operation) => [operation, new Map()]));
  let foreign = 0;
  for (let round = 0; round <= rounds; round++) {
    for (const side of sides) await side.refresh();
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
    progress(round === 0 ? 'warm' : `round ${round} of ${rounds}`);
  }
  const { node } = process.versions;
  say(
    `Node ${node}, ${cpus()[0].model.trim()} × ${cpus().length}, ${callers} callers; median (least–most) of ${rounds} rounds of ${seconds} s. ` +
      `Other processes used up to ${Math.round(foreign * 100)} % of the machine.`,
  );
  for (const [operation, bySide] of results) sayTable(sides, operation, bySide);
}

function sayTable(sides, { name, rows = 1 }, bySide) {
  const [base] = sides;
  const rate = rows === 1 ? 'requests/s' : 'rows/s';
  const per = rows === 1 ? '' : ' a row';
  say(
    `\n| ${name} | ${rate} | ${base.name} is × of it | CPU of Node, µs${per} | of PostgreSQL | p50 ms | p99 ms |`,
  );
  say('|---|---|---|---|---|---|---|');
  const bases = bySide.get(base);
  for (const side of sides.filter((one) => bySide.has(one))) {
    const list = bySide.get(side);
    const rates = list.map((one) => one.rate);
    const ratios = side !== base && bases?.map((one, round) => one.rate / rates[round]);
    const of = (key, digits = 0) => median(list.map((one) => one[key])).toFixed(digits);
    const cells = [range(rates, 0), ratios ? range(ratios, 2) : '–', of('node'), of('postgres')];
    say(`| ${[side.name, ...cells, of('p50', 1), of('p99', 1)].join(' | ')} |`);
  }
}

/** Runs one operation, and returns its rate, its latency and the CPU time that it took. */
export async function measure(side, operation, { seconds, callers }) {
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
            body: body && JSON.stringify(body),
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
  if (non2xx + errors > 0)
    progress(`${side.name}, ${operation.name}: ${errors} errors, ${JSON.stringify(statusCodeStats)}`);
  const cpu = cpuTimes(side);
  const spent = (key) => cpu[key] - before[key];
  const took = (cpu.at - before.at) / 1_000;
  times.sort((a, b) => a - b);
  const written = times.length * rows;
  return {
    rate: (written / (ended - started)) * 1_000,
    node: (spent('node') / written) * 1e6,
    postgres: (spent('postgres') / written) * 1e6,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    foreign: (spent('busy') - spent('node') - spent('postgres') - spent('own')) / (took * cpus().length),
  };
}

function cpuTimes({ pid, postgresPids }) {
  const { user, system } = process.cpuUsage();
  return {
    node: cpuOf(pid),
    postgres: postgresPids().reduce((sum, one) => sum + cpuOf(one), 0),
    busy: busyCpu(),
    own: (user + system) / 1e6,
    at: performance.now(),
  };
}

/** The quantile of a sorted list. */
export const quantile = (sorted, part) =>
  sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];

const ascending = (list) => [...list].sort((a, b) => a - b);
const median = (list) => quantile(ascending(list), 0.5);

/** The median of a list, with its minimum and maximum. */
export function range(list, digits) {
  const [least, most] = [Math.min(...list), Math.max(...list)].map((value) => value.toFixed(digits));
  return `${median(list).toFixed(digits)} (${least}–${most})`;
}
