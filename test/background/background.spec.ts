import { ServiceUnavailableException } from '@nestjs/common';
import type { Claim } from '../../src/platform/database/claims';
import { Background } from '../../src/platform/background/background';
import { ClaimedWork, type Due, type Turn } from '../../src/platform/background/claimed-work';

const setImmediateOfNode = setImmediate;
beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

describe('a process with background work', () => {
  const MINUTE = 60_000;
  const NO_DATABASE = undefined as never; // these jobs use none

  /** Starts a process with a job, and returns the number of its runs in the minutes to come. */
  function runsOf(everyMs: number, isOn = true) {
    const background = new Background({ background: isOn }, NO_DATABASE);
    let runs = 0;
    background.add({ name: 'count', everyMs, run: async () => void runs++ });
    background.onApplicationBootstrap();
    return {
      after: (minutes: number) => pass(minutes * MINUTE).then(() => runs),
      stop: () => background.beforeApplicationShutdown(),
    };
  }

  it('runs a job soon after the start, then at its interval, until the shutdown', async () => {
    const [job, short, off] = [runsOf(10 * MINUTE), runsOf(MINUTE / 60), runsOf(MINUTE, false)];
    expect(await job.after(0.5)).toBe(0);
    expect(await short.after(0)).toBeGreaterThan(20);
    for (const [minutes, runs] of [
      [1, 1],
      [7, 1],
      [4, 2],
    ])
      expect([minutes, await job.after(minutes)]).toEqual([minutes, runs]);
    await job.stop();
    expect(await job.after(60)).toBe(2);
    expect(await off.after(0)).toBe(0); // a process without background work
  });

  it('runs a job within moments when asked to, also if it is in progress, and then at its interval', async () => {
    const background = new Background({ background: true }, NO_DATABASE);
    const runs: (() => void)[] = [];
    const run = () => new Promise<void>((done) => runs.push(done));
    const job = background.add({ name: 'wait', everyMs: 10 * MINUTE, run });
    background.onApplicationBootstrap();
    for (let i = 0; i < 4; i++) {
      background.trigger(job); // asked again and again, it is not put off
      await pass(500);
    }
    expect(runs).toHaveLength(1);
    background.trigger(job);
    await pass(MINUTE);
    expect(runs).toHaveLength(1);
    runs[0]();
    await pass(2_000);
    expect(runs).toHaveLength(2);
    runs[1]();
    await pass(5 * MINUTE);
    expect(runs).toHaveLength(2);
    await pass(7 * MINUTE);
    expect(runs).toHaveLength(3);
    runs[2]();
    await background.beforeApplicationShutdown();
    background.trigger(job);
    await pass(60 * MINUTE);
    expect(runs).toHaveLength(3);
  });
});

interface Claimed {
  id: string;
  turn: Turn;
  /** Ends the work; whether something is left. */
  end(isLeft?: boolean): void;
  fail(error?: Error): void;
}

/** Work on items that wait in a list, as a table would have them. Each look waits for `beforeLook()`. */
function useWork(atOnce: number, beforeLook: () => Promise<unknown> = async () => {}) {
  const waiting: Due[] = [];
  const claims: Claimed[] = [];
  const log: string[] = [];
  const work = new ClaimedWork<Due, Due & Claim>({
    name: 'test',
    limit: { size: atOnce, lateAfterMs: 1_500 },
    due: async (limit, slowLimit) => {
      log.push('look');
      await beforeLook();
      const free = waiting.filter(({ id }) => !claims.some((claim) => claim.id === id));
      return [
        ...free.filter(({ isSlow }) => !isSlow).slice(0, limit),
        ...free.filter(({ isSlow }) => isSlow).slice(0, slowLimit),
      ];
    },
    claim: async (item) => ({ ...item, number: '1' }),
    renew: async ({ id }) => void log.push(`renew ${id}`),
    work: ({ id }, turn) =>
      new Promise<boolean>((resolve, reject) => {
        const [item] = waiting.splice(
          waiting.findIndex((one) => one.id === id),
          1,
        );
        const end = (isLeft = false) => {
          if (isLeft) waiting.push(item);
          resolve(isLeft);
        };
        claims.push({ id: id!, turn, end, fail: (error = new Error('no')) => reject(error) });
      }),
    release: async ({ id, restMs }) => {
      log.push(`release ${id}${restMs ? ` for ${restMs} ms` : ''}`);
      claims.splice(
        claims.findIndex((claim) => claim.id === id),
        1,
      );
    },
  });
  return {
    work,
    log,
    wait: (ids: string, isSlow = false) =>
      waiting.push(...[...ids].map((id) => ({ organizationId: 'org', id, isSlow }))),
    claim: (id: string) => claims.find((one) => one.id === id)!,
    inProgress: () => claims.map(({ id }) => id).join(''),
    async look() {
      await work.look();
      await pass(0);
    },
  };
}

describe('work that is claimed', () => {
  it('works at so many at once, and looks for the next ones as soon as one is done', async () => {
    const { look, wait, claim, inProgress } = useWork(2);
    wait('abcd');
    await look();
    expect(inProgress()).toBe('ab');
    claim('a').end();
    await pass(500);
    expect(inProgress()).toBe('bc');
  });

  it('does not look anew after a failure, for which the item rests, or if nothing may be left', async () => {
    const { look, wait, claim, log } = useWork(3);
    wait('ab');
    await look();
    claim('a').fail();
    claim('b').end();
    await pass(2_000);
    expect(log).toEqual(['look', 'release a for 30000 ms', 'release b']);
  });

  it('lets an item not rest after a failure that passes', async () => {
    for (const error of [
      Object.assign(new Error('the database restarts'), { code: '57P01' }),
      new Error('Connection terminated unexpectedly'),
      new ServiceUnavailableException('the share of the organization is in use'),
    ]) {
      const { look, wait, claim, log } = useWork(1);
      wait('a');
      await look();
      claim('a').fail(error);
      await pass(0);
      expect([error.message, ...log]).toEqual([error.message, 'look', 'release a']);
    }
  });

  it('gives the slots of items that are late to others, up to a hundred', async () => {
    const { look, wait, inProgress } = useWork(2);
    const names = Array.from({ length: 200 }, (_, n) => String.fromCharCode(0x4e00 + n)).join('');
    wait(names);
    for (let i = 0; i < 80; i++) {
      await look();
      await pass(1_600);
    }
    expect(inProgress()).toHaveLength(102);
  });

  it('has slots of their own for items that are known to be slow', async () => {
    const { look, wait, inProgress } = useWork(2);
    const names = Array.from({ length: 150 }, (_, n) => String.fromCharCode(0x4e00 + n)).join('');
    wait(names, true);
    await look();
    expect(inProgress()).toHaveLength(100);
    wait('abc');
    await pass(100);
    await look();
    expect(inProgress()).toHaveLength(102);
  });

  it('looks once at a time', async () => {
    let finish!: () => void;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const { work, look, wait, inProgress, log } = useWork(1, () => finished);
    wait('ab');
    work.wake();
    work.wake();
    finish();
    await look();
    expect(inProgress()).toBe('a');
    expect(log).toEqual(['look']);
  });

  it('leaves the failure of an early look to the next one', async () => {
    const { work } = useWork(1, () => Promise.reject(new Error('no')));
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    try {
      work.wake();
      await pass(500);
      await new Promise(setImmediateOfNode);
      expect(unhandled).not.toHaveBeenCalled();
      await expect(work.look()).rejects.toThrow('no');
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });

  it('looks no more once the process ends: the connections may be closed', async () => {
    const { work, log } = useWork(1);
    await work.drain();
    work.wake();
    await pass(500);
    expect(log).toEqual([]);
  });

  it('ends a turn after a second if others wait, and comes back to what is left', async () => {
    const { look, wait, claim, inProgress, log } = useWork(2);
    wait('a');
    await look();
    await pass(1_001);
    expect(claim('a').turn.isOver()).toBe(false);
    wait('bc');
    await look();
    expect([claim('a').turn.isOver(), claim('b').turn.isOver()]).toEqual([true, false]);
    claim('a').end(true);
    await pass(500);
    expect(inProgress()).toBe('bc');
    claim('c').end();
    await pass(500);
    expect(inProgress()).toBe('ba');
    expect(log).toEqual(['look', 'look', 'release a', 'look', 'release c', 'look']);
  });

  it('does not count an item as late whose steps are short', async () => {
    const { look, wait, claim, inProgress } = useWork(1);
    wait('ab');
    await look();
    for (let i = 0; i < 3; i++) {
      await pass(1_000);
      void claim('a').turn.isOver();
      await look();
      expect(inProgress()).toBe('a');
    }
    await pass(1_501);
    await look();
    expect(inProgress()).toBe('ab');
  });

  it('renews a claim for as long as the work takes, and releases it after that', async () => {
    const { look, wait, claim, log } = useWork(2);
    wait('a');
    await look();
    await pass(25_000);
    claim('a').end();
    await pass(20_000);
    expect(log).toEqual(['look', 'renew a', 'renew a', 'release a']);
  });

  it('waits for what is in progress when the process ends, begins nothing, and releases what it has', async () => {
    const { work, look, wait, claim, log } = useWork(2);
    wait('abc');
    await look();
    let isDrained = false;
    const drained = work.drain().then(() => (isDrained = true));
    expect([claim('a').turn.isOver(), claim('a').turn.stopped.aborted]).toEqual([true, true]);
    claim('a').end(true);
    await pass(5_000);
    expect([isDrained, claim('b').turn.abandoned.aborted]).toEqual([false, false]);
    claim('b').end();
    await drained;
    expect(log).toEqual(['look', 'release a', 'release b']);
  });

  it('waits ten seconds at most, the last of them for what is abandoned', async () => {
    const { work, look, wait, claim } = useWork(2);
    wait('a');
    await look();
    let isDrained = false;
    void work.drain().then(() => (isDrained = true));
    await pass(8_999);
    expect(claim('a').turn.abandoned.aborted).toBe(false);
    await pass(1);
    expect(claim('a').turn.abandoned.aborted).toBe(true);
    await pass(999);
    expect(isDrained).toBe(false);
    await pass(1);
    expect(isDrained).toBe(true);
  });
});
