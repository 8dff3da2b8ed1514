import { wasRolledBack } from './errors';

const ATTEMPTS = 3;

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
