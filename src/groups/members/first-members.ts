import type { EntityManager } from 'typeorm';
import { query, type Sql, sql } from '../../platform/database/sql';
import { opaque } from '../../platform/pages/paginate';
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

/** The first members of each group, by id. */
export async function membersOfGroups(
  manager: EntityManager,
  organizationId: string,
  groupIds: readonly string[],
  limit: number,
): Promise<Map<string, MemberRecord[]>> {
  const name = sql`(SELECT name FROM ${User} WHERE organization_id = ${organizationId} AND id = member.user_id)`;
  const rows = await query<MemberRecord & { of: string }>(
    manager,
    sql`SELECT listed.id AS of, member.user_id AS id, ${name} AS name
        FROM unnest(${groupIds}::text[]) AS listed (id),
        LATERAL (
          SELECT user_id FROM ${GroupMember} WHERE organization_id = ${organizationId} AND group_id = listed.id
          ORDER BY user_id LIMIT ${opaque(limit)}
        ) AS member
        ORDER BY member.user_id`,
  );
  const byGroup = new Map(groupIds.map((id) => [id, [] as MemberRecord[]]));
  for (const { of, ...member } of rows) byGroup.get(of)!.push(member);
  return byGroup;
}

/** The number of groups that a user shows. */
export const SHOWN_GROUPS = 1_000;

/**
 * An expression for the first groups of a user, by id: a JSON list of GroupOfUser, or null for none. `userId` is an
 * expression, too. A page of users passes a lower `limit`.
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
