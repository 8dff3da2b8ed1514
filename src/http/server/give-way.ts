import { setTimeout as sleep } from 'node:timers/promises';

/** How long a long work goes on before others have their turn. */
const TURN_MS = 10;

/** When the next turn of any long work may begin. */
let free = 0;

/**
 * A function to await between the steps of long work, which lets the event loop serve other requests. All long work of
 * the process together takes half of the time: a request needs several rounds of the loop, and waits in each of them.
 */
export function givingWay(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    const now = performance.now();
    if (now - since < TURN_MS) return;
    free = Math.max(free, now) + TURN_MS;
    const pause = free - now;
    free += TURN_MS;
    await sleep(pause);
    since = performance.now();
  };
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
