import { raw, type Sql, sql } from '../database/sql';

/** A bound of the time that a list is sorted by. */
export interface Bound {
  operator: '>=' | '>' | '<' | '<=';
  /** In the format of toISOString(). */
  time: string;
}

/** The part of a list between two bounds. */
export interface TimeRange {
  since?: Bound;
  until?: Bound;
}

/** The range from one time to another, which it does not include; undefined if neither is given. */
export function rangeBetween(since: string | undefined, until: string | undefined): TimeRange | undefined {
  if (since === undefined && until === undefined) return undefined;
  return {
    ...(since !== undefined && { since: boundAt(since, '>=', '>') }),
    ...(until !== undefined && { until: boundAt(until, '<', '<=') }),
  };
}

/** Columns have milliseconds. A time between two of them is compared with the one before it. */
function boundAt(text: string, exact: Bound['operator'], between: Bound['operator']): Bound {
  const time = new Date(text).toISOString();
  return { operator: /\.\d{3}\d*[1-9]/.test(text) ? between : exact, time };
}

/** The bound as a condition on a row, with its AND. */
export const whereBound = (column: string, { operator, time }: Bound): Sql =>
  sql`AND ${raw(`${column} ${operator}`)} ${time}`;

/** Whether a time, in the format of toISOString(), satisfies the bound. */
export const isWithin = (at: string, { operator, time }: Bound): boolean =>
  at === time ? operator.endsWith('=') : at < time === operator.startsWith('<');
