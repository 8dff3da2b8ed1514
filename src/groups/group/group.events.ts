import type { NewEvent } from '../../events/record-events';
import type { Caller } from '../../http/caller';
import type { GroupFields, GroupRow } from './group.entity';
import { serializeGroup } from './group.serializer';

const groupEvent = (by: Caller, type: NewEvent['type'], group: GroupRow, more: object = {}): NewEvent => ({
  by,
  type,
  targetId: group.id,
  data: { group: serializeGroup(group), ...more },
});

export const groupCreated = (by: Caller, group: GroupRow) => groupEvent(by, 'group.created', group);

/** `changes` has the fields that have changed. */
export const groupUpdated = (
  by: Caller,
  before: GroupRow,
  after: GroupRow,
  changes: Partial<GroupFields>,
) => {
  const names = Object.keys(changes) as (keyof GroupFields)[];
  const previous = Object.fromEntries(names.map((name) => [name, before[name]]));
  return groupEvent(by, 'group.updated', after, { previous });
};

export const groupDeleted = (by: Caller, group: GroupRow) => groupEvent(by, 'group.deleted', group);

/** Contains only the id of the user, because a purge empties only events whose target is the user. */
export const memberAdded = (by: Caller, group: GroupRow, userId: string) =>
  groupEvent(by, 'group.member_added', group, { user: { id: userId } });

export const memberRemoved = (by: Caller, group: GroupRow, userId: string) =>
  groupEvent(by, 'group.member_removed', group, { user: { id: userId } });
