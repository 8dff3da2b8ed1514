import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { execute, query, rowsOf, sql } from '../../platform/database/sql';
import type { Caller } from '../../platform/http/caller';
import { opaque } from '../../platform/pages/paginate';
import type { User } from '../../users/user/user.entity';
import { UserLifecycle, type UserSteps } from '../../users/user/user-lifecycle';
import { Group } from '../group/group.entity';
import { DeletedGroupMember, GroupMember, type MemberEntity } from '../group/group-member.entity';
import { selectedIds, ROWS_PER_STATEMENT } from './member-rows';

/**
 * The memberships of a user who is deleted or restored. The groups do not change: only the event of the user is
 * recorded, and `version` and `updatedAt` of the groups stay the same.
 */
@Injectable()
export class UserMemberships implements UserSteps {
  constructor(lifecycle: UserLifecycle) {
    lifecycle.add(this);
  }

  deleted = (manager: EntityManager, { organizationId }: Caller, { id }: User) =>
    move(manager, organizationId, id, { from: GroupMember, to: DeletedGroupMember, difference: -1 });

  restored = (manager: EntityManager, { organizationId }: Caller, { id }: User) =>
    move(manager, organizationId, id, { from: DeletedGroupMember, to: GroupMember, difference: 1 });
}

/** Erases the memberships of a deleted user. */
export const eraseMemberships = (manager: EntityManager, organizationId: string, userId: string) =>
  forEachPart(manager, organizationId, userId, DeletedGroupMember, async () => {});

const move = (
  manager: EntityManager,
  organizationId: string,
  userId: string,
  { from, to, difference }: { from: MemberEntity; to: MemberEntity; difference: number },
): Promise<void> =>
  forEachPart(manager, organizationId, userId, from, async (groupIds) => {
    await execute(
      manager,
      sql`INSERT INTO ${to} (organization_id, group_id, user_id)
          VALUES ${rowsOf(groupIds.map((groupId) => [organizationId, groupId, userId]))}`,
    );
    await execute(
      manager,
      sql`UPDATE ${Group} SET member_count = member_count + ${difference}
          WHERE organization_id = ${organizationId} AND id = ANY (${groupIds})`,
    );
  });

/**
 * Deletes the memberships of a user in parts, and calls `work` with the groups of each: nothing bounds the groups of a
 * user, and no statement may time out.
 */
async function forEachPart(
  manager: EntityManager,
  organizationId: string,
  userId: string,
  from: MemberEntity,
  work: (groupIds: string[]) => Promise<void>,
): Promise<void> {
  const memberships = sql`${from} WHERE organization_id = ${organizationId} AND user_id = ${userId}`;
  let found: string[] = [];
  do {
    found = await selectedIds(
      manager,
      sql`SELECT group_id AS id FROM ${memberships} AND group_id > ${found.at(-1) ?? ''}
          ORDER BY group_id LIMIT ${opaque(ROWS_PER_STATEMENT)}`,
    );
    if (found.length === 0) return;
    // In the order in which every transaction locks groups. A directory that removes the user or a group goes first.
    await query(
      manager,
      sql`SELECT id FROM ${Group} WHERE organization_id = ${organizationId} AND id = ANY (${found}) ORDER BY id FOR NO KEY UPDATE`,
    );
    const taken = await selectedIds(
      manager,
      sql`DELETE FROM ${memberships} AND group_id = ANY (${found}) RETURNING group_id AS id`,
    );
    if (taken.length > 0) await work(taken);
  } while (found.length === ROWS_PER_STATEMENT);
}
