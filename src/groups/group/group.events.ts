import type { EntityManager } from 'typeorm';
import { type NewEvent, recordEvents } from '../../events/record-events';
import { chunksOf } from '../../platform/database/sql';
import type { Caller } from '../../platform/http/caller';
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

/** More events at once would keep the event loop from other requests for too long. */
const EVENTS_PER_STATEMENT = 500;

/** Records an event for each of these members, of which there may be any number. */
export async function recordMembers(
  manager: EntityManager,
  by: Caller,
  type: 'group.member_added' | 'group.member_removed',
  group: GroupRow,
  userIds: readonly string[],
): Promise<void> {
  for (const some of chunksOf(userIds, EVENTS_PER_STATEMENT))
    await recordEvents(manager, ...some.map((userId) => memberEvent(by, type, group, userId)));
}
