import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { fault, INSTANT, isInstant, Satisfies } from '../http/input/checks';

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

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** A bound of a list: a time with its zone, or a date, which becomes its midnight in UTC. */
export const TimeBound = () =>
  applyDecorators(
    Transform(({ value }) =>
      typeof value === 'string' && DATE.test(value) ? `${value}T00:00:00.000Z` : value,
    ),
    Satisfies(
      'isTimeBound',
      [new RegExp(`${INSTANT.source}|${DATE.source}`)],
      isInstant,
      fault('invalid', 'must be a time such as 2026-01-31T09:30:00.000Z, or a date such as 2026-01-31'),
    ),
  );
