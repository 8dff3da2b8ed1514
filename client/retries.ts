import { ApiError, isTransient } from './api-error.ts';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

/** The waits of one call between its attempts. */
export class Retries {
  #budgetMs: number;
  #count = 0;
  readonly #signal: AbortSignal | undefined;

  constructor(budgetMs = 30_000, signal?: AbortSignal) {
    this.#budgetMs = budgetMs;
    this.#signal = signal;
  }

  /** Waits before the next attempt. Throws the error if it is not temporary, or if the wait exceeds the budget. */
  async waitAfter(error: unknown): Promise<void> {
    if (!(error instanceof ApiError) || !isTransient(error)) throw error;
    const wait = waitBefore(this.#count++, error.retryAfter);
    if (wait > this.#budgetMs) throw error;
    this.#budgetMs -= wait;
    await sleep(wait, this.#signal);
  }
}

/** Exponential backoff with jitter, but at least as long as `Retry-After`. */
function waitBefore(attempt: number, retryAfter?: number): number {
  const backoff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
  return Math.max(backoff, (retryAfter ?? 0) * 1000);
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      fail(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      done();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
