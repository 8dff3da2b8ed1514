import type { NewEvent } from '../../events/record-events';
import { sql } from '../../platform/database/sql';
import type { Caller } from '../../platform/http/caller';
import type { User, UserFields } from './user.entity';
import { serializeUser } from './user.serializer';

/** The event of a user as it is after a change; `more` is what the event shows beside it. */
export const userEvent = (by: Caller, type: NewEvent['type'], user: User, more: object = {}): NewEvent => ({
  by,
  type,
  targetId: user.id,
  data: { user: serializeUser(user), ...more },
});

/** The same with the user as JSON text. */
export const userEventOfText = (
  by: Caller,
  type: NewEvent['type'],
  targetId: string,
  user: string,
): NewEvent => ({ by, type, targetId, data: sql`${`{"user":${user}}`}` });

/** `changes` has the fields that have changed, and `more` former values of other data. */
export const userUpdated = (
  by: Caller,
  before: User,
  after: User,
  changes: Partial<UserFields>,
  more: object = {},
) => {
  const previous = Object.fromEntries(Object.keys(changes).map((name) => [name, before[name as keyof User]]));
  return userEvent(by, 'user.updated', after, { previous: { ...previous, ...more } });
};

/** The event has no data, because the user has been erased. */
export const userPurged = (by: Caller, targetId: string): NewEvent => ({
  by,
  type: 'user.purged',
  targetId,
  data: null,
});
