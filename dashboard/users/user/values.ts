import type { CreateUser, User } from '../../../client/index.ts';

/** The values that a person may set. */
export type UserValues = Pick<User, keyof CreateUser>;

/** Their names, in the order of the API. */
export const WRITABLE_FIELDS = Object.keys({
  externalId: true,
  name: true,
  email: true,
  role: true,
  active: true,
  metadata: true,
} satisfies Record<keyof UserValues, true>) as (keyof UserValues)[];
