import { May } from '../../session/may.tsx';
import { type Role, ROLES } from '../user/roles.ts';

interface Props {
  query: string | undefined;
  role: Role | undefined;
  active: boolean | undefined;
  /** Whether only the members of a group are listed. */
  isGroup: boolean;
}

/** Explains why the list is empty. */
export const NoUsers = ({ query, role, active, isGroup }: Props) => {
  const users = `${active === undefined ? '' : active ? 'active ' : 'inactive '}users`;
  const withRole = role && ` with the role ${ROLES[role]}`;
  if (query !== undefined)
    return (
      <>
        No {users}
        {withRole} match <strong>{query}</strong>. The search covers names, emails, ids and text values in
        metadata.
      </>
    );
  if (role || active !== undefined || isGroup)
    return (
      <>
        There are no {users}
        {withRole}
        {isGroup && ' in this group'}.
      </>
    );
  return (
    <>
      There are no users yet.
      <May scope="users:write"> Create the first one here or with the API.</May>
    </>
  );
};
