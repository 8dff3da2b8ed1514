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

/** How much is read: elements of each list, and bytes of JSON in all. */
interface Bounds {
  limit: number;
  /** Lists are read until they pass this together. The others are missing in the result. */
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

/** `list` is an expression of `wanted.id`. OFFSET 0 prevents PostgreSQL from computing it once for each use. */
async function listsOf(
  manager: EntityManager,
  ids: readonly string[],
  list: Sql,
  maxBytes = Number.MAX_SAFE_INTEGER,
): Promise<Map<string, string>> {
  const rows = await query<{ id: string; list: string }>(
    manager,
    sql`SELECT id, list FROM (
          SELECT id, list, sum(octet_length(list)) OVER (ORDER BY position) - octet_length(list) AS before
          FROM (
            SELECT id, position, coalesce(${list}::text, '[]') AS list
            FROM unnest(${ids}::text[]) WITH ORDINALITY AS wanted (id, position) OFFSET 0
          ) AS lists
        ) AS measured WHERE before <= ${maxBytes}`,
  );
  return new Map(rows.map(({ id, list }) => [id, list]));
}
