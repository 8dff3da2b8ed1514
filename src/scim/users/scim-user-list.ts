import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { columnsOf } from '../../database/columns';
import { Database } from '../../database/database';
import { isId } from '../../database/id';
import { join, query, raw, sql } from '../../database/sql';
import type { Caller } from '../../http/caller';
import { membersOfEach } from '../../groups/members/members-of-group';
import { type GroupOfUser, groupsOfUser } from '../../groups/members/first-members';
import { countUsers, pageOfUsers, rangeOfUsers, type UserColumns } from '../../users/user/user-query';
import { User } from '../../users/user/user.entity';
import { userNotFound } from '../../users/user-rows';
import { type ListQuery, type ListResult, MAX_COUNTED, pageByPosition } from '../wire/list-query';
import { tooMany } from '../schema/scim-error';
import type { DirectoryUser, ShownUser } from './user-resource';
import type { FoundUser } from './scim-user-rows';
import { type Listed, MAX_FOUND, selectionOf, split } from './scim-user-query';
import { ScimUser } from './scim-user.entity';
import { UndirectedUsers } from './undirected-users';

/**
 * In a page with room for more than `FEW_USERS`, each user shows `LISTED_GROUPS` of its groups: eight pages of 200
 * users in 1,000 groups each ended a process.
 */
const FEW_USERS = 20;
const LISTED_GROUPS = 100;

const SHOWN = columnsOf(User, ['id', 'name', 'email', 'active', 'version', 'createdAt', 'updatedAt']);

/** The columns of a `FoundUser`, with everything that belongs to the user, in one statement. */
const foundColumns = (organizationId: string, withGroups: boolean, shownGroups?: number): UserColumns => ({
  select: sql`${SHOWN.selectText},
    "userName", "externalId", attributes, "givenEmail", "givenName"
    ${withGroups ? sql`, ${groupsOfUser(organizationId, raw('users.id'), shownGroups)} AS groups` : sql``}`,
  join: sql`LEFT JOIN LATERAL (
    SELECT user_name AS "userName", external_id AS "externalId", attributes, email AS "givenEmail", name AS "givenName"
    FROM ${ScimUser} WHERE organization_id = ${organizationId} AND user_id = users.id OFFSET 0
  ) AS given ON true`,
});

type Row = ShownUser & { groups?: GroupOfUser[] | null } & (
    (Omit<DirectoryUser, 'name' | 'email'> & { givenEmail: string; givenName: string }) | { userName: null }
  );

function foundUser(row: Row): FoundUser {
  const directory = row.userName === null ? null : { ...row, email: row.givenEmail, name: row.givenName };
  return { user: row, directory, groups: row.groups ?? [] };
}

/** Reads users for directories. */
@Injectable()
export class ScimUserList {
  constructor(
    private readonly database: Database,
    private readonly undirected: UndirectedUsers,
  ) {}

  /** Reads the groups only if `withGroups` is set. */
  async get({ organizationId }: Caller, id: string, withGroups: boolean): Promise<FoundUser> {
    if (!isId('usr', id)) throw userNotFound();
    const [row] = await this.database.read(organizationId, (manager) =>
      rangeOfUsers<Row>(
        manager,
        { organizationId, among: sql`SELECT ${id}::text AS user_id` },
        foundColumns(organizationId, withGroups),
        { offset: 0, limit: 1 },
      ),
    );
    if (!row) throw userNotFound();
    return foundUser(row);
  }

  async list(by: Caller, query: ListQuery, withGroups: boolean): Promise<ListResult<FoundUser>> {
    const { organizationId } = by;
    const filter = split(query.comparisons);
    const undirected = await this.undirected.find(by, filter.attributes);
    const found = selectionOf(organizationId, filter, undirected);
    if (found === 'nobody') return { rows: [], ...(query.cursor === undefined && { total: 0 }) };
    return this.database.read(
      organizationId,
      async (manager) => {
        const selection = await inGroups(manager, found, filter.groups);
        if (filter.attributes.length > 0) await refuseMany(manager, selection);
        const findsOne = filter.ids.length > 0 || filter.userNames.length > 0;
        const shownGroups = query.count > FEW_USERS && !findsOne ? LISTED_GROUPS : undefined;
        const columns = foundColumns(organizationId, withGroups, shownGroups);
        return query.cursor === undefined
          ? rangeOf(manager, selection, columns, query)
          : pageOf(manager, selection, columns, query);
      },
      query.offset > MAX_COUNTED ? 'heavy' : 'quick',
    );
  }
}

/** A page by position. */
async function rangeOf(
  manager: EntityManager,
  { sort, ...selection }: Listed,
  columns: UserColumns,
  query: ListQuery,
): Promise<ListResult<FoundUser>> {
  const { rows, total } = await pageByPosition(
    query,
    (range) => rangeOfUsers<Row>(manager, selection, columns, { sort, order: 'asc', ...range }),
    (max) => countUsers(manager, selection, max),
  );
  return { rows: rows.map(foundUser), total };
}

/** A page by the cursor of RFC 9865. */
async function pageOf(
  manager: EntityManager,
  { sort, ...selection }: Listed,
  columns: UserColumns,
  { filter, cursor, count: limit }: ListQuery,
): Promise<ListResult<FoundUser>> {
  const page = await pageOfUsers<Row>(manager, selection, columns, {
    sort,
    order: 'asc',
    limit,
    ...(cursor && { cursor }),
    of: ['scim', filter],
  });
  return { rows: page.data.map(foundUser), ...(page.nextCursor !== null && { nextCursor: page.nextCursor }) };
}

/** Restricts the list to users who are members of all of these groups. The members of the smallest one are read. */
async function inGroups(
  manager: EntityManager,
  selection: Listed,
  groupIds: readonly string[],
): Promise<Listed> {
  if (groupIds.length === 0) return selection;
  const [members, ...others] = await membersOfEach(manager, selection.organizationId, groupIds);
  const conditions = [selection.where, ...others.map(({ condition }) => condition)].filter(
    (condition) => condition !== undefined,
  );
  return { ...selection, members, ...(conditions.length > 0 && { where: join(conditions, ' AND ') }) };
}

async function refuseMany(manager: EntityManager, { among }: Listed): Promise<void> {
  const [{ count }] = await query<{ count: number }>(
    manager,
    sql`SELECT count(*)::int AS count FROM (${among!}) AS found`,
  );
  if (count > MAX_FOUND)
    throw tooMany(`The filter finds more than ${MAX_FOUND} users. Add a comparison that finds fewer`);
}
