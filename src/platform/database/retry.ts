import { setTimeout as sleep } from 'node:timers/promises';
import { connectionBroke, wasRolledBack } from './errors';

const MAX_ROLLBACKS = 3;

/**
 * A fault often breaks several connections at once, and the pool removes one only when the process has noticed. On a
 * busy machine that takes longer than the first of these pauses.
 */
const BROKEN_PAUSES_MS = [100, 400];

/**
 * Runs work, and repeats it after errors that `isRetried` accepts, until `pauseAfter` has no pause (in milliseconds).
 */
export async function retry<Result>(
  run: () => Promise<Result>,
  isRetried: (error: unknown) => boolean,
  pauseAfter: (failures: number) => number | undefined,
): Promise<Result> {
  for (let failures = 1; ; failures++) {
    try {
      return await run();
    } catch (error) {
      const pauseMs = isRetried(error) ? pauseAfter(failures) : undefined;
      if (pauseMs === undefined) throw error;
      await sleep(pauseMs);
    }
  }
}

/** For `retry()`: so many attempts, without pauses. */
export const upTo = (attempts: number) => (failures: number) => (failures < attempts ? 0 : undefined);

/** Runs a statement or a whole transaction, and repeats it after a deadlock or a serialization failure. */
export const retryRolledBack = <Result>(run: () => Promise<Result>): Promise<Result> =>
  retry(run, wasRolledBack, upTo(MAX_ROLLBACKS));

/**
 * Runs work that only reads, and repeats it up to twice if its connection broke. A write must not be retried, because
 * it may have been committed.
 */
export const retryBroken = <Result>(run: () => Promise<Result>): Promise<Result> =>
  retry(run, connectionBroke, (failures) => BROKEN_PAUSES_MS[failures - 1]);
