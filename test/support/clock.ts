import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until what is made now is newer than what was made before: times are kept in milliseconds. */
export const nextMoment = (): Promise<void> => sleep(5);
