import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { anyOf, chunksOf, execute, query, rowsOf, type Sql, sql } from '../../platform/database/sql';
import type { Caller } from '../../platform/http/caller';
import { opaque } from '../../platform/pages/paginate';
import { type RestoredUser, UserLifecycle, type UserSteps } from '../../users/user/user-lifecycle';
import { Group } from '../group/group.entity';
import { DeletedGroupMember, GroupMember, type MemberEntity } from '../group/group-member.entity';
import { selectedIds, ROWS_PER_STATEMENT } from './member-rows';

/**
 * The memberships of users who are deleted or restored. The groups do not change: only the events of the users are
 * recorded, and `version` and `updatedAt` of the groups stay the same.
 */
@Injectable()
export class UserMemberships implements UserSteps {
  constructor(lifecycle: UserLifecycle) {
    lifecycle.add(this);
  }

  deleted = (manager: EntityManager, { organizationId }: Caller, ids: readonly string[]) =>
    move(manager, organizationId, ids, { from: GroupMember, to: DeletedGroupMember, difference: -1 });

  restored = (manager: EntityManager, { organizationId }: Caller, users: readonly RestoredUser[]) =>
    move(
      manager,
      organizationId,
      users.map(({ id }) => id),
      { from: DeletedGroupMember, to: GroupMember, difference: 1 },
    );
}

/** Erases the memberships of a deleted user. */
export const eraseMemberships = (manager: EntityManager, organizationId: string, userId: string) =>
  takeMemberships(manager, organizationId, [userId], DeletedGroupMember, async () => {});

type Membership = Pick<GroupMember, 'groupId' | 'userId'>;

async function move(
  manager: EntityManager,
  organizationId: string,
  userIds: readonly string[],
  { from, to, difference }: { from: MemberEntity; to: MemberEntity; difference: number },
): Promise<void> {
  const differences = new Map<string, number>(); // by group
  await takeMemberships(manager, organizationId, userIds, from, async (taken) => {
    await execute(
      manager,
      sql`INSERT INTO ${to} (organization_id, group_id, user_id)
          VALUES ${rowsOf(taken.map(({ groupId, userId }) => [organizationId, groupId, userId]))}`,
    );
    for (const { groupId } of taken) differences.set(groupId, (differences.get(groupId) ?? 0) + difference);
  });
  for (const some of chunksOf([...differences], ROWS_PER_STATEMENT))
    await execute(
      manager,
      sql`UPDATE ${Group} SET member_count = member_count + difference
          FROM unnest(${some.map(([id]) => id)}::text[], ${some.map(([, difference]) => difference)}::integer[])
            AS differences (group_id, difference)
          WHERE organization_id = ${organizationId} AND id = group_id`,
    );
}

/** The users whose memberships are sorted together. */
const USERS_PER_PART = 50;

/**
 * Deletes the memberships of users in parts, and calls `work` with each part: nothing bounds the groups of a user, and
 * no statement may time out.
 */
async function takeMemberships(
  manager: EntityManager,
  organizationId: string,
  userIds: readonly string[],
  from: MemberEntity,
  work: (memberships: Membership[]) => Promise<void>,
): Promise<void> {
  const of = (ids: readonly string[]) =>
    sql`${from} WHERE organization_id = ${organizationId} AND user_id = ${anyOf(ids, 'text')}`;
  if (!(await lockGroups(manager, organizationId, of(userIds)))) return;
  for (const ids of chunksOf(userIds, USERS_PER_PART)) {
    let after: Membership = { userId: '', groupId: '' };
    let found: Membership[];
    do {
      // Without the users before `after`, whose memberships would be read in vain.
      const left = ids.filter((id) => id >= after.userId);
      const rest = sql`(user_id, group_id) > (${after.userId}, ${after.groupId})`;
      found = await query(
        manager,
        sql`SELECT user_id AS "userId", group_id AS "groupId" FROM ${of(left)} AND ${rest}
            ORDER BY user_id, group_id LIMIT ${opaque(ROWS_PER_STATEMENT)}`,
      );
      if (found.length === 0) break;
      after = found.at(-1)!;
      const taken = left.filter((id) => id <= after.userId);
      await execute(
        manager,
        sql`DELETE FROM ${of(taken)} AND ${rest} AND (user_id, group_id) <= (${after.userId}, ${after.groupId})`,
      );
      await work(found);
    } while (found.length === ROWS_PER_STATEMENT);
  }
}

/**
 * Locks the groups of these memberships, so that nobody else adds or removes one. In the order of ids, in which every
 * transaction locks groups; all before the first is changed, because users share groups. A directory that removes a
 * user or a group goes first. Returns whether there is a group.
 */
async function lockGroups(
  manager: EntityManager,
  organizationId: string,
  memberships: Sql,
): Promise<boolean> {
  let after = '';
  let ids: string[];
  do {
    ids = await selectedIds(
      manager,
      sql`SELECT DISTINCT group_id AS id FROM ${memberships} AND group_id > ${after}
          ORDER BY id LIMIT ${opaque(ROWS_PER_STATEMENT)}`,
    );
    if (ids.length === 0) break;
    await query(
      manager,
      sql`SELECT id FROM ${Group} WHERE organization_id = ${organizationId} AND id = ANY (${ids}) ORDER BY id FOR NO KEY UPDATE`,
    );
    after = ids.at(-1)!;
  } while (ids.length === ROWS_PER_STATEMENT);
  return after !== '';
}
