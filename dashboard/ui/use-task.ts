import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { keepAwake } from '../session/idle.ts';
import { formatTime } from './format.ts';
import type { TaskHooks } from './patiently.ts';

/** What a task that can be stopped reports, and is told. */
export interface StoppableHooks extends TaskHooks {
  /** Aborted when a person stops the task. A request that is on its way must be awaited: the service carries it out. */
  stopping: AbortSignal;
}

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

/** Says that a task that is stopped has not ended yet. */
export const STOPPING = 'It stops as soon as the current part is done.';

/** Runs a task from when the component is shown until it ends or is shown no more. */
export function useTask(work: (hooks: StoppableHooks) => Promise<void>) {
  const [attempt, setAttempt] = useState(0);
  const [error, setError] = useState<unknown>();
  const [waitsUntil, onWait] = useState<number>();
  const [controller] = useState(() => new AbortController());
  const [stopper] = useState(() => new AbortController());
  const [isStopping, setIsStopping] = useState(false);
  useEffect(() => {
    setError(undefined);
    work({ signal: controller.signal, stopping: stopper.signal, onWait }).catch((error: unknown) => {
      if (!controller.signal.aborted) setError(error);
    });
  }, [attempt]);
  const stop = () => {
    stopper.abort();
    setIsStopping(true);
  };
  useEffect(
    () => () => {
      stopper.abort();
      controller.abort();
    },
    [],
  );
  return {
    error,
    waiting: waitingText(waitsUntil),
    isStopping,
    stop,
    retry: () => setAttempt((attempt) => attempt + 1),
  };
}
