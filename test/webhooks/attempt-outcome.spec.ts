import { type Attempt, type AttemptOutcome, outcomeOf } from '../../src/webhooks/deliveries/attempt-outcome';
import { Successes } from '../../src/webhooks/deliveries/successes';

const NOW = Date.parse('2026-01-31T09:30:00Z');
const SECONDS = 1_000;
const HOURS = 60 * 60 * SECONDS;

/** The pauses after each of ten attempts, in seconds. The chance is from 0 to 1. */
const PAUSES = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** The outcomes of ten attempts in a row that all get this status. */
const outcomes = (status: number, chance: number): AttemptOutcome[] =>
  Array.from({ length: 10 }, (_, i) => outcomeOf({ status, tookMs: 1 }, i + 1, NOW, () => chance));

const after = (status: number, retryAfter?: string, attempts = 1) =>
  outcomeOf({ status, retryAfter, tookMs: 1 }, attempts, NOW, () => 0.5);

describe('the pauses between attempts', () => {
  it.each([
    [0.5, 1],
    [0, 0.8],
    [1, 1.2],
  ])(
    'are, with a chance of %d, those of the contract × %d, and after the tenth there is none',
    (chance, factor) => {
      const all = outcomes(500, chance);
      expect(all.slice(0, 9).map(({ pauseMs }) => pauseMs / SECONDS)).toEqual(
        PAUSES.map((pause) => expect.closeTo(pause * factor, 3)),
      );
      expect(all.map(({ state }) => state)).toEqual([...Array(9).fill('pending'), 'failed']);
    },
  );

  it('are not the same for two deliveries', () => {
    const pauses = Array.from({ length: 20 }, () => outcomeOf({ status: 500, tookMs: 1 }, 9).pauseMs);
    expect(new Set(pauses).size).toBeGreaterThan(15);
  });

  it.each([
    ['7200', 2 * HOURS],
    [' 7200 ', 2 * HOURS],
    ['Sat, 31 Jan 2026 12:30:00 GMT', 3 * HOURS],
    ['86400', 24 * HOURS],
    ['86401', 24 * HOURS],
    ['99999999999999999999', 24 * HOURS],
    ['Fri, 31 Jan 2031 12:30:00 GMT', 24 * HOURS],
    ['Fri, 30 Jan 2026 12:30:00 GMT', 5 * SECONDS], // over
    ['1', 5 * SECONDS], // sooner than the clock
    ['0', 5 * SECONDS],
    ['-7200', 5 * SECONDS],
    ['soon', 5 * SECONDS],
    ['', 5 * SECONDS],
  ])('are at least what Retry-After: %s asks for, up to a day', (retryAfter, pauseMs) => {
    for (const status of [500, 400, 302, 429, 503]) expect(after(status, retryAfter).pauseMs).toBe(pauseMs);
  });
});

describe('an answer', () => {
  it.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [199, 'pending'],
    [300, 'pending'],
    [302, 'pending'],
    [304, 'pending'],
    [400, 'pending'],
    [404, 'pending'],
    [500, 'pending'],
    [410, 'failed'],
  ])('of %i leaves the delivery %s', (status, state) =>
    expect(after(status)).toMatchObject({ status, state, isGone: status === 410 }),
  );

  it('that does not come is a failure without a status', () =>
    expect(outcomeOf(undefined, 1, NOW, () => 0.5)).toEqual({
      state: 'pending',
      status: null,
      pauseMs: 5 * SECONDS,
      blockMs: 0,
      isGone: false,
      isSlow: false,
    }));

  it('that takes more than two seconds is slow, whatever it says', () => {
    for (const status of [200, 500])
      for (const [tookMs, isSlow] of [
        [1_999, false],
        [2_001, true],
      ] as const)
        expect(outcomeOf({ status, tookMs }, 1)).toMatchObject({ isSlow });
  });

  it.each([429, 502, 503, 504])('of %i keeps everything from the webhook for a while', (status) => {
    expect(after(status).blockMs).toBe(30 * SECONDS);
    for (const nothing of ['soon', '-7200', 'in 2031'])
      expect(after(status, nothing).blockMs).toBe(30 * SECONDS);
    expect(after(status, '3600').blockMs).toBe(HOURS);
    expect(after(status, '999999').blockMs).toBe(24 * HOURS);
    for (const over of ['0', 'Fri, 30 Jan 2026 12:30:00 GMT']) expect(after(status, over).blockMs).toBe(0);
  });

  it.each([200, 302, 404, 410, 500, 501])(
    'of %i keeps nothing else from it, whatever Retry-After says',
    (status) => expect(after(status, '3600').blockMs).toBe(0),
  );
});

describe('successes', () => {
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
});
