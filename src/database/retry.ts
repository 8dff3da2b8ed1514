import { setTimeout as sleep } from 'node:timers/promises';
import { connectionBroke, wasRolledBack } from './errors';

const ATTEMPTS = 3;

/** What breaks one connection breaks others in the same moment; by then the pool has heard of them. */
const SETTLED_AFTER_MS = 100;

/** Runs one statement, and again where the server undid it for the sake of another: a deadlock, a serialization failure. */
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
 * Runs a statement that only reads, and once more where its connection broke. Never one that writes: nobody knows whether
 * it was done.
 */
export async function retryBroken<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!connectionBroke(error)) throw error;
    await sleep(SETTLED_AFTER_MS);
    return run();
  }
}
