const SECONDS = 1_000;
const MINUTES = 60 * SECONDS;
const HOURS = 60 * MINUTES;

/** The pauses after the first failure of an event, the second and so on, in milliseconds. The last one repeats. */
export const PAUSES = [
  5 * SECONDS,
  5 * MINUTES,
  30 * MINUTES,
  2 * HOURS,
  5 * HOURS,
  10 * HOURS,
  14 * HOURS,
  20 * HOURS,
  24 * HOURS,
];

export const pauseAfter = (failures: number): number => PAUSES[Math.min(failures, PAUSES.length) - 1];
