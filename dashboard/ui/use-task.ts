import { useEffect, useState } from 'preact/hooks';
import { keepAwake } from '../session/idle.ts';
import { formatTime } from './format.ts';

/**
 * While a long task runs, the browser asks before it closes the page. The session does not end, either, unless the task
 * waits for a person.
 */
export function useBusy(isRunning: boolean, isWorking = true): void {
  useEffect(() => {
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

export function useWaiting() {
  const [until, setUntil] = useState<number>();
  return [waitingText(until), setUntil] as const;
}
