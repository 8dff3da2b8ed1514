import type { EntityManager } from 'typeorm';
import { query, sql } from '../../database/sql';
import type { Members } from '../../users/user/user-query';
import { Group } from '../group/group.entity';
import { GroupMember } from '../group/group-member.entity';

/** Reading and sorting more members takes longer than a page should. */
const MANY_MEMBERS = 10_000;

/** The members of a group, for lists of users. A group that does not exist has none. */
export async function membersOfGroup(
  manager: EntityManager,
  organizationId: string,
  groupId: string,
): Promise<Members> {
  const [group] = await query<{ count: number }>(
    manager,
    sql`SELECT member_count AS count FROM ${Group} WHERE organization_id = ${organizationId} AND id = ${groupId}`,
  );
  const members = sql`${GroupMember} WHERE organization_id = ${organizationId} AND group_id = ${groupId}`;
  return {
    isLarge: group !== undefined && group.count > MANY_MEMBERS,
    ids: sql`SELECT user_id FROM ${members}`,
    // Not EXISTS, which the planner may turn into a join that reads all members.
    condition: sql`(SELECT true FROM ${members} AND user_id = users.id)`,
  };
}
