import { type Attempt, type AttemptOutcome, outcomeOf } from '../../src/webhooks/deliveries/attempt-outcome';
import { Successes } from '../../src/webhooks/deliveries/successes';

const NOW = Date.parse('2026-01-31T09:30:00Z');
const SECONDS = 1_000;
const HOURS = 60 * 60 * SECONDS;

/** The pauses after each of ten attempts, in seconds. */
const PAUSES = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

const after = (status: number, retryAfter?: string, attempts = 1, chance = 0.5): AttemptOutcome =>
  outcomeOf({ status, retryAfter, tookMs: 1 }, attempts, NOW, () => chance);

describe('the pauses between attempts', () => {
  it('are those of the contract, give or take a fifth, and after the tenth there is none', () => {
    for (const [chance, factor] of [
      [0.5, 1],
      [0, 0.8],
      [1, 1.2],
    ]) {
      const all = Array.from({ length: 10 }, (_, i) => after(500, undefined, i + 1, chance));
      expect(all.slice(0, 9).map(({ pauseMs }) => pauseMs / SECONDS)).toEqual(
        PAUSES.map((pause) => expect.closeTo(pause * factor, 3)),
      );
      expect(all.map(({ state }) => state)).toEqual([...Array(9).fill('pending'), 'failed']);
    }
    const random = Array.from({ length: 20 }, () => outcomeOf({ status: 500, tookMs: 1 }, 9).pauseMs);
    expect(new Set(random).size).toBeGreaterThan(15);
  });

  it('are at least what Retry-After asks for, up to a day', () => {
    const rows: [string, number][] = [
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
    ];
    for (const [retryAfter, pauseMs] of rows)
      for (const status of [500, 400, 302, 429, 503])
        expect({ retryAfter, pauseMs: after(status, retryAfter).pauseMs }).toEqual({ retryAfter, pauseMs });
  });
});

describe('an answer', () => {
  it('leaves the delivery delivered, pending or failed by its status', () => {
    for (const [state, statuses] of [
      ['delivered', [200, 204, 299]],
      ['pending', [199, 300, 302, 304, 400, 404, 500]],
      ['failed', [410]],
    ] as const)
      for (const status of statuses)
        expect(after(status)).toMatchObject({
          status,
          state,
          error: state === 'delivered' ? null : 'status',
          durationMs: 1,
          isGone: status === 410,
        });
    expect(outcomeOf({ error: 'dns', tookMs: 7.5 }, 1, NOW, () => 0.5)).toEqual({
      state: 'pending',
      status: null,
      error: 'dns',
      durationMs: 8,
      pauseMs: 5 * SECONDS,
      blockMs: 0,
      isGone: false,
      isSlow: false,
    });
  });

  it('that takes more than two seconds is slow, whatever it says', () => {
    for (const status of [200, 500])
      for (const [tookMs, isSlow] of [
        [1_999, false],
        [2_001, true],
      ] as const)
        expect(outcomeOf({ status, tookMs }, 1)).toMatchObject({ isSlow, durationMs: tookMs });
  });

  it('of a busy receiver keeps everything from the webhook for a while, and any other nothing', () => {
    const rows: [string | undefined, number][] = [
      [undefined, 30 * SECONDS],
      ['soon', 30 * SECONDS],
      ['-7200', 30 * SECONDS],
      ['3600', HOURS],
      ['999999', 24 * HOURS],
      ['0', 0],
      ['Fri, 30 Jan 2026 12:30:00 GMT', 0],
    ];
    for (const status of [429, 502, 503, 504])
      for (const [retryAfter, blockMs] of rows)
        expect([status, retryAfter, after(status, retryAfter).blockMs]).toEqual([
          status,
          retryAfter,
          blockMs,
        ]);
    for (const status of [200, 302, 404, 410, 500, 501])
      expect([status, after(status, '3600').blockMs]).toEqual([status, 0]);
  });
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
