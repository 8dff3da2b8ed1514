import type { EntityManager } from 'typeorm';
import { isId } from '../../platform/database/id';
import { chunksOf, query, rowsOf, type Sql, sql } from '../../platform/database/sql';
import { opaque } from '../../platform/pages/paginate';
import { User } from '../../users/user/user.entity';
import type { GroupRow } from '../group/group.entity';
import { DeletedGroupMember, GroupMember, type MemberEntity } from '../group/group-member.entity';
import type { MemberChanges } from '../group/group-steps';

/** The number of members that a group shows. */
export const SHOWN_MEMBERS = 1_000;

/**
 * Limits the memory and the time of a statement, and for how long its rows keep the event loop from other requests: a
 * group has up to 100,000 members, and a body names up to 30,000.
 */
export const ROWS_PER_STATEMENT = 2_000;

/**
 * Returns the ids that are users, locked against deletion until the transaction ends. The order of locks is: users by
 * id, groups by id, members. A deletion of a user has locked the user before it locks its groups.
 */
export async function lockUsers(
  manager: EntityManager,
  organizationId: string,
  ids: Iterable<string>,
): Promise<Set<string>> {
  const users = new Set<string>();
  for (const some of chunksOf([...ids].filter((id) => isId('usr', id)).sort(), ROWS_PER_STATEMENT)) {
    const found = await selectedIds(
      manager,
      sql`SELECT id FROM ${User} WHERE organization_id = ${organizationId} AND id = ANY (${some}) ORDER BY id FOR KEY SHARE`,
    );
    for (const id of found) users.add(id);
  }
  return users;
}

/** The members who were added to or removed from a locked group. */
export interface MovedMembers {
  added: string[];
  removed: string[];
  /** The change in the number of members, in which deleted users do not count. */
  difference: number;
}

/** Applies the changes to the members of a locked group. `present` are locked users. */
export async function changeMembers(
  manager: EntityManager,
  group: GroupRow,
  changes: MemberChanges,
): Promise<MovedMembers> {
  const { isReplaced, present, absent } = changes;
  if (await isAsShown(manager, group, changes)) return { added: [], removed: [], difference: 0 };
  const added: string[] = [];
  for (const some of chunksOf([...present].sort(), ROWS_PER_STATEMENT))
    added.push(...(await insert(manager, group, some)));
  const removed: string[] = [];
  const deleted: string[] = [];
  for (const some of chunksOf([...absent].filter((id) => isId('usr', id)).sort(), ROWS_PER_STATEMENT)) {
    removed.push(...(await remove(manager, GroupMember, group, some)));
    deleted.push(...(await remove(manager, DeletedGroupMember, group, some)));
  }
  if (isReplaced) {
    removed.push(...(await removeOthers(manager, GroupMember, group, present)));
    // A list of exactly the current members changes nothing. It cannot name deleted users, so they stay, too.
    if (added.length > 0 || removed.length > 0)
      deleted.push(...(await removeOthers(manager, DeletedGroupMember, group, present)));
  }
  return { added, removed: [...removed, ...deleted], difference: added.length - removed.length };
}

/** Whether the list is exactly the members that a large group shows. It then says nothing about the others. */
async function isAsShown(
  manager: EntityManager,
  group: GroupRow,
  { unlessShown, present, isReplaced }: MemberChanges,
): Promise<boolean> {
  const isCandidate = isReplaced && unlessShown && group.memberCount > SHOWN_MEMBERS;
  if (!isCandidate || present.size !== SHOWN_MEMBERS) return false;
  const shown = await memberIds(manager, GroupMember, group, '', SHOWN_MEMBERS);
  return shown.every((id) => present.has(id));
}

const insert = (
  manager: EntityManager,
  { organizationId, id }: GroupRow,
  userIds: string[],
): Promise<string[]> =>
  selectedIds(
    manager,
    sql`INSERT INTO ${GroupMember} (organization_id, group_id, user_id)
        VALUES ${rowsOf(userIds.map((userId) => [organizationId, id, userId]))}
        ON CONFLICT DO NOTHING RETURNING user_id AS id`,
  );

async function remove(
  manager: EntityManager,
  entity: MemberEntity,
  { organizationId, id }: GroupRow,
  userIds: string[],
): Promise<string[]> {
  if (userIds.length === 0) return [];
  return selectedIds(
    manager,
    sql`DELETE FROM ${entity} WHERE organization_id = ${organizationId} AND group_id = ${id} AND user_id = ANY (${userIds})
        RETURNING user_id AS id`,
  );
}

/** Removes all members except some, in several statements, so that a large group does not time out. */
async function removeOthers(
  manager: EntityManager,
  entity: MemberEntity,
  group: GroupRow,
  kept: Set<string>,
): Promise<string[]> {
  const removed: string[] = [];
  let after = '';
  let ids: string[];
  do {
    ids = await memberIds(manager, entity, group, after, ROWS_PER_STATEMENT);
    const others = ids.filter((id) => !kept.has(id));
    removed.push(...(await remove(manager, entity, group, others)));
    after = ids.at(-1) ?? after;
  } while (ids.length === ROWS_PER_STATEMENT);
  return removed;
}

const memberIds = (
  manager: EntityManager,
  entity: MemberEntity,
  { organizationId, id }: GroupRow,
  after: string,
  limit: number,
): Promise<string[]> =>
  selectedIds(
    manager,
    sql`SELECT user_id AS id FROM ${entity} WHERE organization_id = ${organizationId} AND group_id = ${id} AND user_id > ${after}
        ORDER BY user_id LIMIT ${opaque(limit)}`,
  );

/** The ids that a statement returns. */
export const selectedIds = async (manager: EntityManager, statement: Sql): Promise<string[]> =>
  (await query<{ id: string }>(manager, statement)).map(({ id }) => id);

/** Deletes all members of a locked group without events of their own; the deletion of the group has one. */
export async function deleteMembers(manager: EntityManager, group: GroupRow): Promise<void> {
  for (const entity of [GroupMember, DeletedGroupMember])
    await removeOthers(manager, entity, group, new Set());
}
