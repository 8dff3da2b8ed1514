import type { EntityManager } from 'typeorm';
import { findLocked, updateLocked } from '../../platform/database/find-locked';
import { isId } from '../../platform/database/id';
import { noSuchOrganization, notFound, taken } from '../../platform/http/fault';
import { displayNameKey } from './display-name';
import { Group, type GroupFields, type GroupRow } from './group.entity';

/** The group, locked until the transaction ends. Throws a 404. */
export async function lockGroup(
  manager: EntityManager,
  organizationId: string,
  id: string,
): Promise<GroupRow> {
  const group = isId('grp', id) ? await findLocked(manager, Group, { organizationId, id }) : null;
  if (!group) throw groupNotFound();
  return group;
}

/** Inserts a group with this number of members. */
export async function insertGroup(
  manager: EntityManager,
  group: Pick<GroupRow, 'organizationId' | 'id' | 'memberCount'> & GroupFields,
): Promise<GroupRow> {
  const row = manager.create(Group, withKey(group));
  await manager.insert(Group, row); // which reads back the version and the times
  return row;
}

/** Writes changes to a locked group and its number of members, and returns the result. */
export async function updateGroup(
  manager: EntityManager,
  before: GroupRow,
  changes: Partial<GroupFields>,
  difference: number,
): Promise<GroupRow> {
  const written = withKey({ ...changes, memberCount: before.memberCount + difference });
  return updateLocked(manager, Group, before, written);
}

const withKey = <Fields extends Partial<GroupFields>>(fields: Fields) => ({
  ...fields,
  ...(fields.displayName !== undefined && { displayNameKey: displayNameKey(fields.displayName) }),
});

export const groupNotFound = () => notFound('There is no such group.');

/** The constraints of `groups` that a write can violate, with the exceptions that the caller gets. */
export const GROUP_VIOLATIONS = {
  groups_organization_id_display_name_key_key: () =>
    taken({ field: 'displayName', code: 'taken', message: 'is already used by another group' }),
  groups_organization_id_fkey: noSuchOrganization,
};
