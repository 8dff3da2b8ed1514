import { useEffect, useState } from 'preact/hooks';
import { keepAwake } from '../session/idle.ts';

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

/** Whether and until when the rate limit makes a task wait, as a sentence. */
export function useWaiting() {
  const [until, setUntil] = useState<number>();
  const text =
    until === undefined
      ? ''
      : `The token's rate limit is used up. It continues at ${timeOfDay.format(until)}.`;
  return [text, setUntil] as const;
}

const timeOfDay = new Intl.DateTimeFormat('en', { timeStyle: 'medium' });
