import type { NewEvent } from '../../events/record-events';
import type { Caller } from '../../http/caller';
import type { User, UserFields } from './user.entity';
import { serializeUser } from './user.serializer';

export const userCreated = (by: Caller, user: User): NewEvent => ({
  by,
  type: 'user.created',
  targetId: user.id,
  data: { user: serializeUser(user) },
});

/** `changes` has the fields that have changed. */
export const userUpdated = (
  by: Caller,
  before: User,
  after: User,
  changes: Partial<UserFields>,
): NewEvent => {
  const previous = Object.fromEntries(Object.keys(changes).map((name) => [name, before[name as keyof User]]));
  return { by, type: 'user.updated', targetId: after.id, data: { user: serializeUser(after), previous } };
};

export const userDeleted = (by: Caller, user: User): NewEvent => ({
  by,
  type: 'user.deleted',
  targetId: user.id,
  data: { user: serializeUser(user) },
});

export const userRestored = (by: Caller, user: User): NewEvent => ({
  by,
  type: 'user.restored',
  targetId: user.id,
  data: { user: serializeUser(user) },
});

/** The event has no data, because the user has been erased. */
export const userPurged = (by: Caller, targetId: string): NewEvent => ({
  by,
  type: 'user.purged',
  targetId,
  data: null,
});
