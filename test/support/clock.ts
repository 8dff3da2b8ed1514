import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the next timestamp is later than all earlier ones; timestamps have millisecond precision. */
export const nextMoment = (): Promise<void> => sleep(5);
