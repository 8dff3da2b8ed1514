/** The part of a list from one time to another, which it does not include. In the format of toISOString(). */
export interface TimeRange {
  since?: string;
  until?: string;
}

export const rangeBetween = (since: string | undefined, until: string | undefined): TimeRange => ({
  since: since && wholeMillisecond(since),
  until: until && wholeMillisecond(until),
});

const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Columns have milliseconds, so a time between two of them stands for the later one. */
function wholeMillisecond(text: string): string {
  const isBetween = /\.\d{3}\d*[1-9]/.test(text);
  return new Date(Math.min(Date.parse(text) + Number(isBetween), LAST)).toISOString();
}

/** The range as cursors contain it. The operators are there because cursors of earlier releases have them. */
export const rangeInCursor = ({ since, until }: TimeRange = {}) => ({
  ...(since && { since: { operator: '>=', time: since } }),
  ...(until && { until: { operator: '<', time: until } }),
});
