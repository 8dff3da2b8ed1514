import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { columnsOf } from '../../platform/database/columns';
import { Database } from '../../platform/database/database';
import { isId } from '../../platform/database/id';
import { join, query, sql } from '../../platform/database/sql';
import type { Caller } from '../../platform/http/caller';
import { membersOfEach } from '../../groups/members/members-of-group';
import { SHOWN_GROUPS } from '../../groups/members/first-members';
import { countUsers, cursorAfterUser, pageOfUsers, usersFrom } from '../../users/query/user-query';
import { User } from '../../users/user/user.entity';
import { userNotFound } from '../../users/user-rows';
import { USER } from '../schema/user.schema';
import { listQueryOf } from '../wire/list-query';
import { listResponse, MAX_COUNTED } from '../wire/list-response';
import { tooMany } from '../schema/scim-error';
import { Projection } from '../wire/projection';
import { type ShownUser, userResource } from './user-resource';
import { type FoundUser, foundUser, readUsers } from './scim-user-rows';
import { type Listed, MAX_FOUND, selectionOf, split } from './scim-user-query';

/**
 * In a page with room for more than `FEW_USERS`, each user shows `LISTED_GROUPS` of its groups. Such a page takes the
 * share for heavy work even without groups, and so does any page of several users with groups.
 */
const FEW_USERS = 20;
const LISTED_GROUPS = 100;

/** What a page reads of each user at first. */
const POSITION = columnsOf(User, ['id', 'createdAt', 'updatedAt']).select;
type Position = Pick<ShownUser, 'id' | 'createdAt' | 'updatedAt'>;

/** Reads users for directories. */
@Injectable()
export class ScimUserList {
  constructor(private readonly database: Database) {}

  /** Reads the groups only if `withGroups` is set. */
  async get({ organizationId }: Caller, id: string, withGroups: boolean): Promise<FoundUser> {
    if (!isId('usr', id)) throw userNotFound();
    const [row] = await this.database.read(organizationId, (manager) =>
      readUsers(manager, organizationId, [{ id }], withGroups ? SHOWN_GROUPS : 0),
    );
    if (!row) throw userNotFound();
    return foundUser(row);
  }

  /** The page that a query string or the body of a `.search` asks for, as a ListResponse. */
  async list({ organizationId }: Caller, input: Record<string, unknown>, base: string): Promise<string> {
    const projection = new Projection(USER, input);
    const query = listQueryOf(USER, input);
    const withGroups = projection.shows('groups');
    const filter = split(query.comparisons);
    const found = selectionOf(organizationId, filter);
    const isNamed = filter.ids.length > 0 || filter.userNames.length > 0;
    const most = filter.attributes.length > 0 ? await this.countFound(found) : Infinity;
    const findsOne = isNamed || Math.min(query.count, most) <= 1;
    const isSmall = findsOne || (!withGroups && query.count <= FEW_USERS);
    const listed = query.count > FEW_USERS && !isNamed ? LISTED_GROUPS : SHOWN_GROUPS;
    const shownGroups = withGroups ? listed : 0;
    return this.database.read(
      organizationId,
      async (manager) => {
        const selection = await inGroups(manager, found, filter.groups);
        const order = { sort: selection.sort, order: 'asc' } as const;
        return listResponse(query, {
          range: (range) => usersFrom<Position>(manager, selection, POSITION, { ...order, ...range }),
          count: (max) => countUsers(manager, selection, max),
          after: (page) => pageOfUsers<Position>(manager, selection, POSITION, { ...order, ...page }),
          cursorAfter: (row) => cursorAfterUser(row, selection, { ...order, of: query.of }),
          read: (rows) => readUsers(manager, organizationId, rows, shownGroups),
          resourceOf: (row) => {
            const { user, directory, groups } = foundUser(row);
            return projection.apply(userResource(user, directory, base, groups));
          },
        });
      },
      isSmall && query.offset <= MAX_COUNTED ? 'quick' : 'heavy',
    );
  }

  /** The number of users that a filter by attributes finds. Throws a 400 `tooMany` if there are too many for a page. */
  private async countFound({ organizationId, among }: Listed): Promise<number> {
    const [{ count }] = await this.database.read(organizationId, (manager) =>
      query<{ count: number }>(manager, sql`SELECT count(*)::int AS count FROM (${among!}) AS found`),
    );
    if (count <= MAX_FOUND) return count;
    throw tooMany(`The filter finds more than ${MAX_FOUND} users. Add a comparison that finds fewer`);
  }
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
