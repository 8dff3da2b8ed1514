import type { EntityManager } from 'typeorm';
import { query, raw, type Sql, sql } from '../../database/sql';
import { opaque } from '../../pages/paginate';
import { User } from '../../users/user/user.entity';
import { Group } from '../group/group.entity';
import { GroupMember } from '../group/group-member.entity';

/** A member of a group. */
export interface MemberRecord {
  id: string;
  name: string;
}

/** A group of a user. */
export interface GroupOfUser {
  id: string;
  displayName: string;
}

// Names are looked up one by one, because a join might read all users or all groups.

/** The number of groups that a user shows. */
export const SHOWN_GROUPS = 1_000;

/** A statement reads this many lists, so that a page that ends early has not read much more than it shows. */
const LISTS_PER_STATEMENT = 50;

interface Bounds {
  /** The most elements of each list. */
  limit: number;
  /** No further lists are read once they have this many bytes together. */
  maxBytes?: number;
}

/** The first members of each group, by id: JSON lists of MemberRecord. */
export const memberListsOf = (
  manager: EntityManager,
  organizationId: string,
  groupIds: readonly string[],
  { limit, maxBytes }: Bounds,
): Promise<Map<string, string>> =>
  listsOf(manager, groupIds, membersOfGroup(organizationId, raw('wanted.id'), limit), maxBytes);

/** The first groups of each user, by id: JSON lists of GroupOfUser. */
export const groupListsOf = (
  manager: EntityManager,
  organizationId: string,
  userIds: readonly string[],
  { limit, maxBytes }: Bounds,
): Promise<Map<string, string>> =>
  listsOf(manager, userIds, groupsOfUser(organizationId, raw('wanted.id'), limit), maxBytes);

const membersOfGroup = (organizationId: string, groupId: Sql, limit: number): Sql => sql`(
  SELECT json_agg(json_build_object(
    'id', user_id,
    'name', (SELECT name FROM ${User} WHERE organization_id = ${organizationId} AND id = user_id)
  ))
  FROM (
    SELECT user_id FROM ${GroupMember} WHERE organization_id = ${organizationId} AND group_id = ${groupId}
    ORDER BY user_id LIMIT ${opaque(limit)}
  ) AS member)`;

/**
 * An expression for the first groups of a user, by id: a JSON list of GroupOfUser, or null for none. `userId` is an
 * expression, too.
 */
export const groupsOfUser = (organizationId: string, userId: Sql, limit = SHOWN_GROUPS): Sql => sql`(
  SELECT json_agg(json_build_object(
    'id', group_id,
    'displayName', (SELECT display_name FROM ${Group} WHERE organization_id = ${organizationId} AND id = group_id)
  ))
  FROM (
    SELECT group_id FROM ${GroupMember} WHERE organization_id = ${organizationId} AND user_id = ${userId}
    ORDER BY group_id LIMIT ${opaque(limit)}
  ) AS member)`;

/** `list` is an expression of `wanted.id`. */
async function listsOf(
  manager: EntityManager,
  ids: readonly string[],
  list: Sql,
  maxBytes = Infinity,
): Promise<Map<string, string>> {
  const lists = new Map<string, string>();
  let bytes = 0;
  for (let i = 0; i < ids.length && bytes <= maxBytes; i += LISTS_PER_STATEMENT) {
    const some = ids.slice(i, i + LISTS_PER_STATEMENT);
    const rows = await query<{ id: string; list: string }>(
      manager,
      sql`SELECT id, coalesce(${list}::text, '[]') AS list FROM unnest(${some}::text[]) AS wanted (id)`,
    );
    for (const { id, list } of rows) {
      lists.set(id, list);
      bytes += Buffer.byteLength(list);
    }
  }
  return lists;
}
