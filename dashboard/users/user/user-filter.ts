import type { Client, ListUsersQuery, Page, User } from '../../../client/index.ts';
import type { Role } from './roles.ts';
import type { TimeField, TimeFilter } from './time-filter.ts';

type Sort = NonNullable<ListUsersQuery['sort']>;
type Order = NonNullable<ListUsersQuery['order']>;

/** The filter and order of the listed users. A search ignores all but the roles and `active`. */
export interface UserFilter {
  /** Undefined if nothing is searched. */
  query: string | undefined;
  /** Empty for any. */
  roles: Role[];
  active: boolean | undefined;
  /** The id of a group. */
  group: string | undefined;
  /** As it was chosen, never together with a group. The list is sorted by it. */
  time: TimeFilter | undefined;
  since?: string;
  until?: string;
  sort: Sort;
  order: Order;
}

/** The columns that can be sorted by, with the order that each begins with. */
export const FIRST_ORDERS: Record<Sort, Order> = {
  name: 'asc',
  email: 'asc',
  createdAt: 'desc',
  updatedAt: 'desc',
};

/** The parameters of the API for the bounds of a time. */
const BOUNDS = {
  createdAt: (createdSince?: string, createdUntil?: string) => ({ createdSince, createdUntil }),
  updatedAt: (updatedSince?: string, updatedUntil?: string) => ({ updatedSince, updatedUntil }),
} satisfies Record<TimeField, unknown>;

interface PageOptions {
  limit: number;
  cursor?: string;
  include?: 'directory';
}

/** A page of the users that pass the filter. */
export function pageOf(
  client: Client,
  { query, roles, active, group, time, since, until, sort, order }: UserFilter,
  page: PageOptions,
  signal: AbortSignal,
): Promise<Page<User>> {
  const options = { role: roles.length > 0 ? roles : undefined, active, ...page };
  const pages =
    query === undefined
      ? client.users.list(
          { sort, order, group, ...(time && BOUNDS[time.by](since, until)), ...options },
          { signal },
        )
      : client.users.search({ q: query, ...options }, { signal });
  return pages.page();
}
