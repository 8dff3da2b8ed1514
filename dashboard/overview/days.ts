import type { Statistics } from '../../client/index.ts';

export type Day = Statistics['createdByDay'][number];

/** How many users were created on these days. */
export const createdIn = (days: Day[]): number => days.reduce((sum, { count }) => sum + count, 0);
