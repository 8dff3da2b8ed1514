import { setImmediate } from 'node:timers/promises';

const TURN_MS = 10;

/** A function to await between the steps of long work: every 10 ms it lets the event loop serve other requests. */
export function givingWay(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await setImmediate();
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
