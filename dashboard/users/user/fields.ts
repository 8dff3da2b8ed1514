import type { User } from '../../../client/index.ts';

/** The fields that a person may set, in the order of the service. */
export const WRITABLE_FIELDS = ['externalId', 'name', 'email', 'role', 'active', 'metadata'] as const;

/** Their values. */
export type UserValues = Pick<User, (typeof WRITABLE_FIELDS)[number]>;
