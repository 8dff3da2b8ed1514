/**
 * The first moment of a day such as `2026-01-31`, where the reader is, or of the day that many days later. Undefined if
 * there is no such day: while a year is typed, it is in antiquity.
 */
export function midnightOf(day: string, later = 0): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const [year, month, date] = day.split('-').map(Number);
  const isDay = year >= 1970 && new Date(year, month - 1, date).getMonth() === month - 1;
  return isDay ? new Date(year, month - 1, date + later) : undefined;
}

/** The first and the last of two days, whichever was entered first. One that is no day is left out. */
export function inOrder(from: string, to: string): (string | undefined)[] {
  const [first, last] = [from, to].map((day) => (midnightOf(day) ? day : undefined));
  return first && last && first > last ? [last, first] : [first, last];
}

/** The first moment of these days, and the first one after them, as the API takes them. */
export function boundsOfDays(from: string, to: string): { since?: string; until?: string } {
  const [first, last] = inOrder(from, to);
  return {
    since: first && midnightOf(first)!.toISOString(),
    until: last && midnightOf(last, 1)!.toISOString(),
  };
}
