import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import { givingWay } from '../../src/platform/fairness/give-way';
import { useMonotonicClock } from '../support/clock';

/** Longer than a turn and its pause, as on a machine whose processors others use, too. */
const SLOW_MS = 30;

/** What a new caller asks for. All of them together take many pauses of the long work. */
const BUSY_MS = 2;
const CALLERS = 50;

const clock = useMonotonicClock();

function work(order: string[]): void {
  order.push('work');
  clock.pass(SLOW_MS);
}

it('serves other requests between the turns of long works, even if these are overdue', async () => {
  const order: string[] = [];
  const longWork = async () => {
    const giveWay = givingWay();
    for (let step = 0; step < 3; step++) await giveWay(() => work(order));
    order.push('end');
  };
  let isOver = false;
  const round = () => {
    order.push('round');
    if (!isOver) setImmediate(round);
  };
  const works = Array.from({ length: 5 }, longWork);
  setImmediate(round);
  await Promise.all(works).finally(() => (isOver = true));

  const afterStart = order.slice(order.indexOf('round')).join(' ');
  expect(afterStart).toContain('work round');
  expect(afterStart).not.toContain('work work');
});

it('does not count what a work waits for', async () => {
  const order: string[] = [];
  const giveWay = givingWay();
  await giveWay(() => order.push('first'));
  clock.pass(SLOW_MS);
  setImmediate(() => order.push('round'));
  await giveWay(() => order.push('second'));
  await giveWay(() => order.push('third'));
  await nextRound();
  expect(order).toEqual(['first', 'second', 'third', 'round']);
});

it('accepts those who come at once between two turns', async () => {
  const order: string[] = [];
  const server = createServer(() => {
    order.push('connection');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const callers = Array.from({ length: CALLERS }, () => connect(port, '127.0.0.1'));
  const giveWay = givingWay();
  while (order.filter((one) => one === 'connection').length < CALLERS) await giveWay(() => work(order));
  for (const caller of callers) caller.destroy();
  server.close();

  const meanwhile = order.slice(order.indexOf('connection'));
  expect(meanwhile.filter((one) => one === 'work')).toEqual(['work']);
});
