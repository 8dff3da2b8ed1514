import type { Client, ListUsersQuery, Page, User } from '../../../client/index.ts';
import { useQuery } from '../../router/place.ts';
import { queryIn } from '../../ui/search-field.tsx';
import { type Role, ROLES } from './roles.ts';

type Sort = NonNullable<ListUsersQuery['sort']>;
type Order = NonNullable<ListUsersQuery['order']>;

/** The filter and order of the listed users. */
export interface UserFilter {
  /** Undefined if nothing is searched. */
  query: string | undefined;
  role: Role | undefined;
  active: boolean | undefined;
  /** The id of a group. A search ignores it. */
  group: string | undefined;
  sort: Sort;
  order: Order;
  /** Only with `sort: 'updatedAt'`. A search ignores it. */
  updatedSince?: string;
}

/** The columns that can be sorted by, with the order that each begins with. */
export const FIRST_ORDERS: Record<Sort, Order> = {
  name: 'asc',
  email: 'asc',
  createdAt: 'desc',
  updatedAt: 'desc',
};

/** The filter in the address of the page, so that it can be shared and restored, and a function that changes it. */
export function useUserFilter() {
  const [parameters, change] = useQuery();
  const text = parameters.get('q') ?? '';
  const role = parameters.get('role') ?? '';
  const active = parameters.get('active');
  const sort = parameters.get('sort') ?? '';
  const order = parameters.get('order');
  const sortedBy = (sort in FIRST_ORDERS ? sort : 'createdAt') as Sort;
  const filter: UserFilter = {
    query: queryIn(text),
    role: role in ROLES ? (role as Role) : undefined,
    active: active === 'true' ? true : active === 'false' ? false : undefined,
    group: parameters.get('group') ?? undefined,
    sort: sortedBy,
    order: order === 'asc' || order === 'desc' ? order : FIRST_ORDERS[sortedBy],
  };
  return { text, filter, change };
}

/** A page of the users that pass the filter. */
export function pageOf(
  client: Client,
  { query, role, active, group, sort, order, updatedSince }: UserFilter,
  page: { limit: number; cursor?: string },
  signal: AbortSignal,
): Promise<Page<User>> {
  const options = { role, active, ...page };
  const pages =
    query === undefined
      ? client.users.list({ sort, order, updatedSince, group, ...options }, { signal })
      : client.users.search({ q: query, ...options }, { signal });
  return pages.page();
}
