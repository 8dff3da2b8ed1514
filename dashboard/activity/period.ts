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
  if (period !== 'dates') return { since: midnight(now, 1 - DAYS[period]) };
  const [first, last] = [dayIn(from), dayIn(to)];
  const [earlier, later] = first && last && first > last ? [last, first] : [first, last];
  return { since: earlier && midnight(earlier), until: later && midnight(later, 1) };
}

/** So many days later. A day with a change of the clock is one, too. */
const midnight = (day: Date, days = 0) =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate() + days).toISOString();

/** Undefined unless it is a day that somebody can mean: while a year is typed, it is in antiquity. */
function dayIn(text: string): Date | undefined {
  const [, year, month, day] = /^(2\d{3})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  return year === undefined ? undefined : new Date(Number(year), Number(month) - 1, Number(day));
}
