import type { User } from '../../../client/index.ts';

export type Role = User['role'];

/** The roles with their displayed names. */
export const ROLES: Record<Role, string> = { member: 'Member', admin: 'Admin', viewer: 'Viewer' };

export const RoleChip = ({ role }: { role: Role }) => <span class={`chip ${role}`}>{ROLES[role]}</span>;
