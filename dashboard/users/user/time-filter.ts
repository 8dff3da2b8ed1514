import { boundsOfDays, inOrder, midnightOf } from '../../ui/days.ts';

/** The times by which users are listed, with the parameter of the address for each. */
const PARAMETERS = { createdAt: 'created', updatedAt: 'changed' } as const;

export type TimeField = keyof typeof PARAMETERS;

/** The last hours, with their displayed names. */
export const PERIODS = { '24h': 'last 24 hours', '7d': 'last 7 days', '30d': 'last 30 days' } as const;

type Period = keyof typeof PERIODS;

const HOURS: Record<Period, number> = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 };
const HOUR_MS = 60 * 60_000;

export interface TimeFilter {
  by: TimeField;
  period?: Period;
  /** The first and the last day, such as `2026-01-31`, as they were entered. */
  from?: string;
  to?: string;
}

/** The filter in an address: `created=7d`, or `changed=2026-01-01..2026-01-31`, of which one end may be left out. */
export function timeIn(parameters: URLSearchParams): TimeFilter | undefined {
  for (const by of Object.keys(PARAMETERS) as TimeField[]) {
    const text = parameters.get(PARAMETERS[by]) ?? '';
    if (Object.hasOwn(PERIODS, text)) return { by, period: text as Period };
    if (!text.includes('..')) continue;
    const [from, to] = text.split('..');
    return { by, from, to };
  }
  return undefined;
}

/** The changes of an address that lead to the filter. The members of a group cannot be filtered by time. */
export function timeChanges(time: TimeFilter | undefined): Record<string, string | undefined> {
  const none = { created: undefined, changed: undefined };
  if (!time) return none;
  const { by, period, from = '', to = '' } = time;
  return { ...none, group: undefined, [PARAMETERS[by]]: period ?? `${from}..${to}` };
}

/**
 * The first moment that passes and the first after it that does not, as the API takes them. A period begins at a whole
 * hour, so that the pages of a list that is looked at again belong together.
 */
export function boundsOf(
  { period, from = '', to = '' }: TimeFilter,
  now: number,
): { since?: string; until?: string } {
  if (period) {
    const hours = Math.floor(now / HOUR_MS) - HOURS[period];
    return { since: new Date(hours * HOUR_MS).toISOString() };
  }
  return boundsOfDays(from, to);
}

const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** “created in the last 7 days”; empty if it keeps nobody out. */
export function timeInWords({ by, period, from = '', to = '' }: TimeFilter): string {
  const done = PARAMETERS[by];
  if (period) return `${done} in the ${PERIODS[period]}`;
  const [first, last] = inOrder(from, to).map((day) => day && days.format(midnightOf(day)));
  if (first && first === last) return `${done} on ${first}`;
  if (first && last) return `${done} from ${first} to ${last}`;
  if (first) return `${done} since ${first}`;
  return last ? `${done} up to ${last}` : '';
}
