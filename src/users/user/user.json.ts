import { withDefaults } from './user.changes';
import type { User } from './user.entity';
import { withKeys } from './user.keys';
import type { UserRecord } from './user.serializer';

/** A user stored as JSON, in a deleted user or a stored response. */
export type UserJson = Omit<UserRecord, 'createdAt' | 'updatedAt'> &
  Record<'createdAt' | 'updatedAt', string>;

/** The user from the JSON. A field that the JSON does not have yet gets its default. */
export const userFromJson = (organizationId: string, json: UserJson): User => ({
  organizationId,
  id: json.id,
  ...(withKeys(withDefaults(json)) as Omit<
    User,
    'organizationId' | 'id' | 'version' | 'createdAt' | 'updatedAt'
  >),
  version: json.version,
  createdAt: new Date(json.createdAt),
  updatedAt: new Date(json.updatedAt),
});
