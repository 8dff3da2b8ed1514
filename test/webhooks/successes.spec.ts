/**
 * @only embedded: it uses no database
 */
import { outcomeOf } from '../../src/webhooks/deliveries/attempt-outcome';
import type { Attempt } from '../../src/webhooks/deliveries/attempt-outcome';
import { Successes } from '../../src/webhooks/deliveries/successes';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

/** Successes that are added one after the other, and the transactions that record them, which the test ends. */
function useSuccesses() {
  const transactions: { ids: string; end(): void; fail(): void }[] = [];
  const successes = new Successes(
    (all) =>
      new Promise((resolve, reject) => {
        const ids = all.map(({ attempt }) => attempt.delivery.id).join('');
        transactions.push({ ids, end: resolve, fail: () => reject(new Error('no')) });
      }),
  );
  let added = '';
  return {
    successes,
    transactions,
    recorded: () => transactions.map(({ ids }) => ids),
    added: () => added,
    async add(ids: string) {
      for (const id of ids) {
        const attempt = { delivery: { id } } as Attempt;
        await successes.add({ attempt, outcome: outcomeOf({ status: 204, tookMs: 1 }, 1) });
        added += id;
      }
    },
  };
}

it('are recorded after half a second, or when there are five', async () => {
  const { add, recorded } = useSuccesses();
  await add('ab');
  await pass(499);
  expect(recorded()).toEqual([]);
  await pass(1);
  expect(recorded()).toEqual(['ab']);
  void add('cdefg');
  await pass(0);
  expect(recorded()).toEqual(['ab']); // one transaction at a time
});

it('are ten at most that are not recorded: the next one waits', async () => {
  const { add, added, transactions, recorded } = useSuccesses();
  const all = add('abcdefghijklmno');
  await pass(10_000);
  expect([added(), recorded()]).toEqual(['abcdefghi', ['abcde']]);
  transactions[0].end();
  await pass(10_000);
  expect([added(), recorded()]).toEqual(['abcdefghijklmn', ['abcde', 'fghij']]);
  transactions[1].end();
  await all;
});

it('share a transaction if they end during another one, and are all recorded after a flush', async () => {
  const { successes, add, transactions, recorded } = useSuccesses();
  const flushes: Promise<unknown>[] = [];
  for (const id of 'abcd') {
    await add(id);
    flushes.push(successes.flush());
    await pass(0);
  }
  expect(recorded()).toEqual(['a']);
  transactions[0].end();
  await pass(0);
  expect(recorded()).toEqual(['a', 'bcd']);
  transactions[1].end();
  await Promise.all(flushes);
  await successes.flush();
  expect(recorded()).toHaveLength(2);
});

it('are not recorded after others that could not be', async () => {
  const { successes, add, transactions, recorded } = useSuccesses();
  await add('a');
  await pass(500);
  transactions[0].fail();
  await add('bcde');
  await expect(add('f')).rejects.toThrow('no');
  await expect(successes.flush()).rejects.toThrow('no');
  expect(recorded()).toEqual(['a']);
});
