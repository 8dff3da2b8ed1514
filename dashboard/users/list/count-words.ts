import type { Statistics } from '../../../client/index.ts';
import { countOf, formatCount } from '../../ui/format.ts';
import { isFiltered } from '../user/filter-words.ts';
import type { UserFilter } from '../user/user-filter.ts';

interface ShownPage {
  length: number;
  /** The position after the last user of the page. */
  end: number;
  hasMore: boolean;
}

/** “9 users”, “Users 51–60 of 60”, “Users 1–50 of about 12,400”. Of a total that is unknown it says nothing. */
export function countInWords({ length, end, hasMore }: ShownPage, total: string | undefined): string {
  if (length === 0) return 'No users';
  const isFirst = end === length;
  if (isFirst && !hasMore) return countOf(length, 'user');
  const range = `Users ${formatCount(end - length + 1)}–${formatCount(end)}`;
  if (!hasMore) return `${range} of ${formatCount(end)}`;
  return total ? `${range} of ${total}` : range;
}

const rounded = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** The statistics may be a minute old. They count all users and the active ones, and nobody else. */
export function aboutCount(filter: UserFilter, { total, active, exact }: Statistics['users']) {
  const isCounted = filter.query === undefined && !isFiltered({ ...filter, active: undefined });
  const count = filter.active === undefined ? total : filter.active ? active : total - active;
  if (!isCounted) return undefined;
  if (exact) return `about ${rounded.format(count)}`;
  return filter.active === undefined ? `at least ${formatCount(total)}` : undefined;
}
