import type { NewEvent } from '../../events/record-events';
import type { Caller } from '../../http/caller';
import type { User } from '../user.entity';
import type { WritableFields } from '../user.fields';
import { recordOf } from '../user.record';

// The times that a statement sets are those of its event, and are added when it is read.

export const created = (by: Caller, id: string, fields: WritableFields): NewEvent => ({
  by,
  type: 'user.created',
  targetId: id,
  data: { user: { id, ...fields, version: 1 } },
});

export const updated = (by: Caller, user: User, fields: Partial<WritableFields>): NewEvent => {
  const previous = Object.fromEntries(Object.keys(fields).map((name) => [name, user[name as keyof User]]));
  const data = { user: recordOf({ ...user, ...fields, version: user.version + 1 }), previous };
  return { by, type: 'user.updated', targetId: user.id, data };
};

export const deleted = (by: Caller, user: User): NewEvent => ({
  by,
  type: 'user.deleted',
  targetId: user.id,
  data: { user: recordOf(user) },
});

/** Nothing of the user is left to tell. */
export const purged = (by: Caller, targetId: string): NewEvent => ({
  by,
  type: 'user.purged',
  targetId,
  data: null,
});

export const restored = (by: Caller, user: User, fields: Partial<WritableFields>): NewEvent => ({
  by,
  type: 'user.restored',
  targetId: user.id,
  data: { user: recordOf({ ...user, ...fields, version: user.version + 1 }) },
});
