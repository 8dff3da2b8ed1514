import { type Role, ROLES } from './roles.ts';

export const RoleChip = ({ role }: { role: Role }) => <span class={`chip ${role}`}>{ROLES[role]}</span>;
