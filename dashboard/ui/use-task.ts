import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { keepAwake } from '../session/idle.ts';
import { formatTime } from './format.ts';
import { hasStatus } from './use-submit.ts';

/**
 * While a long task runs, the browser asks before it closes the page. The session does not end, either, unless the task
 * waits for a person.
 */
export function useBusy(isRunning: boolean, isWorking = true): void {
  // A layout effect, because the cleanup of a passive effect would run only after the dialog of the task is gone.
  useLayoutEffect(() => {
    if (!isRunning) return;
    const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', preventUnload);
    return () => removeEventListener('beforeunload', preventUnload);
  }, [isRunning]);
  const isBusy = isRunning && isWorking;
  useEffect(() => (isBusy ? keepAwake() : undefined), [isBusy]);
}

/** Says until when the rate limit makes a task wait, if it does. */
export const waitingText = (until: number | undefined) =>
  until === undefined ? '' : `The token's rate limit is used up. It continues at ${formatTime(until)}.`;

/** What a long task reports. */
export interface TaskHooks {
  signal: AbortSignal;
  /** Called with the time, in milliseconds, until which the rate limit makes it wait; undefined when it continues. */
  onWait(until: number | undefined): void;
}

/** Runs a task from when the component is shown until it ends, is stopped, or is shown no more. */
export function useTask(work: (hooks: TaskHooks) => Promise<void>) {
  const [attempt, setAttempt] = useState(0);
  const [error, setError] = useState<unknown>();
  const [waitsUntil, onWait] = useState<number>();
  const [controller] = useState(() => new AbortController());
  useEffect(() => {
    setError(undefined);
    work({ signal: controller.signal, onWait }).catch((error: unknown) => {
      if (!controller.signal.aborted) setError(error);
    });
  }, [attempt]);
  useEffect(() => () => controller.abort(), []);
  return {
    error,
    waiting: waitingText(waitsUntil),
    stop: () => controller.abort(),
    retry: () => setAttempt((attempt) => attempt + 1),
  };
}

/** Repeats a call that the rate limit refuses as soon as the limit allows it again. */
export async function patiently<Result>(
  call: () => Promise<Result>,
  { signal, onWait }: TaskHooks,
): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      if (!hasStatus(error, 429)) throw error;
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
