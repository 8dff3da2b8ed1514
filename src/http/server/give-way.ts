import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';

/** How long a long work goes on before others have their turn. */
const TURN_MS = 10;

/** The long works that wait for their next turn. */
const waiting: (() => void)[] = [];

/**
 * A function to await between the steps of long work, which lets the event loop serve other requests. All long work of
 * the process together takes half of the time: a request needs several rounds of the loop, and waits in each of them.
 * Within a transaction, only for work of which few are in progress at once, because each waits for the turns of all.
 */
export function givingWay(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) void giveTurns();
    });
    since = performance.now();
  };
}

/** One turn in each round of the loop: timers that are overdue run in one round, so each would keep it longer. */
async function giveTurns(): Promise<void> {
  while (waiting.length > 0) {
    await sleep(TURN_MS);
    waiting[0]();
    await nextRound();
    waiting.shift();
  }
}

/** The results of many steps, in order. */
export async function mapGivingWay<Item, Result>(
  items: readonly Item[],
  step: (item: Item) => Result,
): Promise<Result[]> {
  const giveWay = givingWay();
  const results: Result[] = [];
  for (const item of items) {
    results.push(step(item));
    await giveWay();
  }
  return results;
}

/** The result of a generator that yields after each of its steps. */
export async function finish<Result>(steps: Generator<void, Result>): Promise<Result> {
  const giveWay = givingWay();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await giveWay();
  }
}
