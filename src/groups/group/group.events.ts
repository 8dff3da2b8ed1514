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

/**
 * Names the group without its other fields, because one change can have 100,000 of these events. Contains only the id
 * of the user, because a purge empties only events whose target is the user.
 */
const memberEvent = (
  by: Caller,
  type: NewEvent['type'],
  { id, displayName }: GroupRow,
  userId: string,
): NewEvent => ({ by, type, targetId: id, data: { group: { id, displayName }, user: { id: userId } } });

/** Made one by one as they are written, because all of them at once would take memory and hold up other requests. */
export function* membersAdded(by: Caller, group: GroupRow, userIds: readonly string[]): Iterable<NewEvent> {
  for (const userId of userIds) yield memberEvent(by, 'group.member_added', group, userId);
}

export function* membersRemoved(by: Caller, group: GroupRow, userIds: readonly string[]): Iterable<NewEvent> {
  for (const userId of userIds) yield memberEvent(by, 'group.member_removed', group, userId);
}
