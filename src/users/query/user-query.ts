import type { EntityManager } from 'typeorm';
import { query, type Sql, sql } from '../../platform/database/sql';
import { cursorAfter, orderBy, opaque, type Order, type Page, paginate } from '../../platform/pages/paginate';
import { rangeInCursor, type TimeRange } from '../../platform/pages/range';
import { User } from '../user/user.entity';
import { filterInCursor, hasUniqueValue, isFiltered, type UserFilter, usersWho } from './user.filter';
import { USER_SORTS, type UserSort } from './user.sorts';

/** The members of a group, as conditions on users. */
export interface Members {
  /** Whether reading all of them takes longer than a page should. */
  isLarge: boolean;
  /** A SELECT of the ids of all of them. */
  ids: Sql;
  /** A row of `users` is a member, by a look-up. */
  condition: Sql;
}

/** Finds the members of a group, for lists of users. The feature of groups provides it. */
export abstract class Memberships {
  abstract membersOf(manager: EntityManager, organizationId: string, groupId: string): Promise<Members>;
}

/** Users of an organization. */
export interface UserSelection {
  organizationId: string;
  filter?: UserFilter;
  /** Only the members of a group. */
  members?: Members;
  /** A further condition on a row of `users`. */
  where?: Sql;
  /** A SELECT of distinct ids that restricts the selection. */
  among?: Sql;
}

/** A page by the position of its first user. Without a sort it is in the order of creation. */
export interface OffsetPage {
  sort?: UserSort;
  order?: Order;
  /** The number of users before the page, all of which are read. */
  offset: number;
  limit: number;
}

/** A page by the cursor of the previous one. */
export interface UserPage {
  sort: UserSort;
  order?: Order;
  limit: number;
  cursor?: string;
  /** Restricts the time that the list is sorted by. */
  range?: TimeRange;
  /** Identifies `where` and `among` in cursors. */
  of?: unknown;
}

/** For a large group, this many users are read in the order of the page before all members are sorted instead. */
const MAX_LOOKED_AT = 20_000;

/** The page of users after a cursor. */
export async function pageOfUsers<Row extends object>(
  manager: EntityManager,
  selection: UserSelection,
  select: Sql,
  { limit, cursor, ...request }: UserPage,
): Promise<Page<Row>> {
  const { organizationId, filter = {}, members, where } = selection;
  const { sort, order = USER_SORTS[sort].order, range } = request;
  const { columns, keys } = USER_SORTS[sort];
  const list = listIn(selection, request);
  const page = (users: (seek: Sql, ordered: Sql) => Sql) =>
    paginate<Row>(manager, {
      select: (seek, ordered) => sql`SELECT ${select} ${keys} FROM ${users(seek, ordered)} ${ordered}`,
      ...{ columns, order, range, limit, cursor, list },
    });
  if (members?.isLarge && !findsFew(selection)) {
    const next = sql`${orderBy(columns, order)} LIMIT ${opaque(MAX_LOOKED_AT)}`;
    const found = await page((seek, ordered) => {
      const ofThem = (rows: Sql) =>
        sql`SELECT * FROM (${rows}) AS users WHERE ${members.condition} ${ordered}`;
      return usersWho(filter, organizationId, sql`${and(where)} ${seek} ${next}`, { ofThem });
    });
    if (found.nextCursor !== null) return found;
  }
  // Without a restriction one SELECT is enough: a second around it takes 6 % more.
  if (!members && !selection.among && !isFiltered(filter))
    return page((seek) => sql`${User} WHERE organization_id = ${organizationId} ${and(where)} ${seek}`);
  return page((seek, ordered) => chosen(selection, sql`${seek} ${ordered}`));
}

/** The cursor of the page after this row of `pageOfUsers()`, if the page is to end with it. */
export const cursorAfterUser = (row: object, selection: UserSelection, request: Omit<UserPage, 'limit'>) =>
  cursorAfter(row, { columns: USER_SORTS[request.sort].columns, list: listIn(selection, request) });

/** Identifies the list in its cursors. */
const listIn = (
  { organizationId, filter = {} }: UserSelection,
  { sort, order = USER_SORTS[sort].order, range, of }: Omit<UserPage, 'limit'>,
): unknown[] => [
  'users',
  organizationId,
  sort,
  order,
  { ...filterInCursor(filter), ...rangeInCursor(range) },
  ...(of === undefined ? [] : [of]),
];

/** The users from a position on. */
export function usersFrom<Row>(
  manager: EntityManager,
  selection: UserSelection,
  select: Sql,
  { sort = 'createdAt', order = 'asc', offset, limit }: OffsetPage,
): Promise<Row[]> {
  const ordered = orderBy(USER_SORTS[sort].columns, order);
  const users = chosen(selection, sql`${ordered} LIMIT ${opaque(offset + limit)}`);
  return query(
    manager,
    sql`SELECT ${select} FROM ${users} ${ordered} LIMIT ${opaque(limit)} OFFSET ${opaque(offset)}`,
  );
}

/** The number of users, counted up to `max + 1`. */
export async function countUsers(
  manager: EntityManager,
  selection: UserSelection,
  max: number,
): Promise<number> {
  const users = chosen(selection, sql`LIMIT ${opaque(max + 1)}`);
  const [{ count }] = await query<{ count: number }>(
    manager,
    sql`SELECT count(*)::int AS count FROM (SELECT FROM ${users} LIMIT ${opaque(max + 1)}) AS counted`,
  );
  return count;
}

/** Whether the selection has few users even without the restriction to groups. */
const findsFew = ({ filter = {}, among }: UserSelection) => hasUniqueValue(filter) || among !== undefined;

/** The users of the selection, as an item of FROM. */
function chosen(selection: UserSelection, page: Sql): Sql {
  const { organizationId, filter = {}, members, where, among } = selection;
  if (members && findsFew(selection))
    return usersWho(filter, organizationId, sql`${and(where)} ${and(members.condition)} ${page}`, { among });
  return usersWho(filter, organizationId, sql`${and(where)} ${page}`, { among: among ?? members?.ids });
}

const and = (where: Sql | undefined) => (where ? sql`AND ${where}` : sql``);
