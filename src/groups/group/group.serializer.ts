import type { GroupRow } from './group.entity';
import type { GroupView } from './group.view';

/** A group, as every method of the service returns it. */
export type GroupRecord = GroupView & Pick<GroupRow, 'version'>;

/** A group after a change. */
export type ChangedGroup = GroupRecord & {
  /** How many members the change added or removed. */
  movedMembers: number;
};

export const groupRecord = (group: GroupRow): GroupRecord => ({
  ...serializeGroup(group),
  version: group.version,
});

/** As responses and events show it: without its version, which only a directory uses. */
export const serializeGroup = (group: Omit<GroupRow, 'organizationId' | 'version'>): GroupView => ({
  id: group.id,
  displayName: group.displayName,
  externalId: group.externalId,
  memberCount: group.memberCount,
  createdAt: group.createdAt,
  updatedAt: group.updatedAt,
});
