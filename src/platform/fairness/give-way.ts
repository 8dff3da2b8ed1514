import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from './limits';

/** How long the steps of a long work may take before it yields, and how long all long work then pauses. */
const TURN_MS = 10;
const PAUSE_MS = TURN_MS / LIMITS.longWork.size - TURN_MS;

/** How many connections are accepted between two turns. With more, callers without end would stop all long work. */
const MAX_ACCEPTED = 64;

/** The long works that wait for their next turn. */
const waiting: (() => void)[] = [];

/**
 * A function that runs the steps of a long work, and lets the event loop serve other requests between them. All long
 * work of the process together takes half of the time: a request needs several rounds of the loop, and waits in each.
 * Within a transaction, only for work of which few are in progress at once, because each waits for the turns of all.
 */
export function givingWay(): <Result>(step: () => Result) => Promise<Result> {
  let workedMs = 0; // without what the work waits for between its steps
  return async (step) => {
    if (workedMs >= TURN_MS) {
      await nextTurn();
      workedMs = 0;
    }
    const since = performance.now();
    try {
      return step();
    } finally {
      workedMs += performance.now() - since;
    }
  };
}

/** Waits for the next turn of a long work whose steps are not all that it costs. */
export const nextTurn = () =>
  new Promise<void>((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) void giveTurns();
  });

/** One turn in each round of the loop: timers that are overdue run in one round, so each would keep it longer. */
async function giveTurns(): Promise<void> {
  while (waiting.length > 0) {
    await pause();
    waiting[0]();
    await nextRound();
    waiting.shift();
  }
}

/**
 * Lets others have the event loop. Node accepts one connection in each round: if callers come meanwhile, the pause goes
 * on until a round accepts none, or the last of them would wait for as many turns.
 */
async function pause(): Promise<void> {
  let hasAccepted = false;
  const accepted = () => (hasAccepted = true);
  subscribe('net.server.socket', accepted);
  await sleep(PAUSE_MS);
  for (let rounds = 0; hasAccepted && rounds < MAX_ACCEPTED; rounds++) {
    hasAccepted = false;
    await nextRound();
  }
  unsubscribe('net.server.socket', accepted);
}

/** The results of many steps, in order. */
export async function mapGivingWay<Item, Result>(
  items: readonly Item[],
  step: (item: Item) => Result,
): Promise<Result[]> {
  const giveWay = givingWay();
  const results: Result[] = [];
  for (const item of items) results.push(await giveWay(() => step(item)));
  return results;
}

/** The result of a generator that yields after each of its steps. */
export async function finish<Result>(steps: Generator<void, Result>): Promise<Result> {
  const giveWay = givingWay();
  for (;;) {
    const { done, value } = await giveWay(() => steps.next());
    if (done) return value;
  }
}
