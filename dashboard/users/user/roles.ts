import type { User } from '../../../client/index.ts';

export type Role = User['role'];

/** The roles with their displayed names. */
export const ROLES: Record<Role, string> = { member: 'Member', admin: 'Admin', viewer: 'Viewer' };
