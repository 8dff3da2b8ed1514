import { hasStatus } from './faults.ts';

/** What a long task reports. */
export interface TaskHooks {
  signal: AbortSignal;
  /** Called with the time, in milliseconds, until which the rate limit makes it wait; undefined when it continues. */
  onWait(until: number | undefined): void;
}

/**
 * Repeats a call that the rate limit refuses as soon as the limit allows it again. The signal ends only the wait, not a
 * call.
 */
export async function patiently<Result>(
  call: () => Promise<Result>,
  { signal, onWait }: TaskHooks,
): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!hasStatus(error, 429)) throw error;
      signal.throwIfAborted();
      const until = Date.now() + Math.max(error.retryAfter ?? 1, 1) * 1_000;
      onWait(until);
      await sleepUntil(until, signal);
      onWait(undefined);
    }
  }
}

const sleepUntil = (time: number, signal: AbortSignal) =>
  new Promise<void>((done, fail) => {
    const timer = setTimeout(done, time - Date.now());
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      fail(signal.reason as Error);
    });
  });
