import { boundsOfDays } from '../ui/days.ts';

/** The periods to choose from. */
export const PERIODS = {
  today: 'Today',
  week: 'Last 7 days',
  month: 'Last 30 days',
  dates: 'From … to …',
};

export type Period = keyof typeof PERIODS;

/** A period in the address of the page. The days, as in 2026-11-30, are only of `dates`; an empty one is open. */
export interface ChosenPeriod {
  period?: Period;
  from: string;
  to: string;
}

const DAYS: Record<Exclude<Period, 'dates'>, number> = { today: 1, week: 7, month: 30 };

/** The beginning and the end of a period for the API. Days begin and end at midnight in local time. */
export function boundsOf(
  { period, from, to }: ChosenPeriod,
  now = new Date(),
): { since?: string; until?: string } {
  if (period === undefined) return {};
  if (period !== 'dates') {
    const first = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1 - DAYS[period]);
    return { since: first.toISOString() };
  }
  return boundsOfDays(from, to);
}
