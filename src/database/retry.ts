import { setTimeout as sleep } from 'node:timers/promises';
import { connectionBroke, wasRolledBack } from './errors';

const ATTEMPTS = 3;

/**
 * A fault often breaks several connections at once, and the pool removes one only when the process has noticed. On a
 * busy machine that takes longer than the first of these pauses.
 */
const RETRY_DELAYS_MS = [100, 400];

/** Runs a statement or a whole transaction, and repeats it after a deadlock or a serialization failure. */
export async function retryRolledBack<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === ATTEMPTS || !wasRolledBack(error)) throw error;
    }
  }
}

/**
 * Runs work that only reads, and repeats it up to twice if its connection broke. A write must not be retried, because
 * it may have been committed.
 */
export async function retryBroken<Result>(run: () => Promise<Result>): Promise<Result> {
  for (const delayMs of RETRY_DELAYS_MS) {
    try {
      return await run();
    } catch (error) {
      if (!connectionBroke(error)) throw error;
      await sleep(delayMs);
    }
  }
  return run();
}
