import { setTimeout as sleep } from 'node:timers/promises';
import { connectionBroke, wasRolledBack } from './errors';

const ATTEMPTS = 3;

/** A fault often breaks several connections at once; after this time the pool has removed them. */
const RETRY_DELAY_MS = 100;

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
 * Runs work that only reads, and repeats it once if its connection broke. A write must not be retried, because it may have
 * been committed.
 */
export async function retryBroken<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!connectionBroke(error)) throw error;
    await sleep(RETRY_DELAY_MS);
    return run();
  }
}
