import type { EntityManager } from 'typeorm';
import { query, sql } from '../../platform/database/sql';
import { type Members, Memberships } from '../../users/query/user-query';
import { Group } from '../group/group.entity';
import { GroupMember } from '../group/group-member.entity';

/** Reading and sorting more members takes longer than a page should. */
const MANY_MEMBERS = 10_000;

/** For lists of users. A group that does not exist has no members. */
export class GroupMemberships extends Memberships {
  async membersOf(manager: EntityManager, organizationId: string, groupId: string): Promise<Members> {
    const [members] = await membersOfEach(manager, organizationId, [groupId]);
    return members;
  }
}

/** The members of each of the groups, the smallest group first. */
export async function membersOfEach(
  manager: EntityManager,
  organizationId: string,
  groupIds: readonly string[],
): Promise<Members[]> {
  // Counts are looked up one by one, because a join might read all groups.
  const groups = await query<{ id: string; count: number }>(
    manager,
    sql`SELECT id, coalesce((SELECT member_count FROM ${Group} WHERE organization_id = ${organizationId} AND id = listed.id), 0) AS count
        FROM unnest(${groupIds}::text[]) AS listed (id) ORDER BY count, id`,
  );
  return groups.map(({ id, count }) => membersOf(organizationId, id, count));
}

function membersOf(organizationId: string, groupId: string, count: number): Members {
  const members = sql`${GroupMember} WHERE organization_id = ${organizationId} AND group_id = ${groupId}`;
  return {
    isLarge: count > MANY_MEMBERS,
    ids: sql`SELECT user_id FROM ${members}`,
    // Not EXISTS, which the planner may turn into a join that reads all members.
    condition: sql`(SELECT true FROM ${members} AND user_id = users.id)`,
  };
}
