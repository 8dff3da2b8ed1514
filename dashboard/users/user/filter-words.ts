import { ROLES } from './roles.ts';
import { timeInWords } from './time-filter.ts';
import type { UserFilter } from './user-filter.ts';

/** “inactive users with the role Admin in this group”; the text that is searched for is not in it. */
export function usersInWords({ query, roles, active, group, time }: UserFilter): string {
  const isList = query === undefined;
  const when = isList && time ? timeInWords(time) : '';
  const users = [
    active === undefined ? '' : active ? 'active' : 'inactive',
    'users',
    roles.length > 0 && `with the role ${roles.map((role) => ROLES[role]).join(' or ')}`,
    isList && group !== undefined && 'in this group',
  ];
  return users.filter(Boolean).join(' ') + (when && (roles.length > 0 ? `, ${when}` : ` ${when}`));
}

/** Whether the filter keeps anybody out. */
export const isFiltered = (filter: UserFilter): boolean => usersInWords(filter) !== 'users';
