import type { User } from '../../../client/index.ts';
import { navigate } from '../../router/place.ts';
import { may } from '../../session/may.tsx';
import { useSession } from '../../session/session.ts';
import type { MenuItem } from '../../ui/menu.tsx';

interface Actions {
  onEdit(user: User): void;
  onActive(user: User): void;
  onDelete(user: User): void;
}

/** The actions in the menu of a row. */
export function useRowActions({ onEdit, onActive, onDelete }: Actions): (user: User) => MenuItem[] {
  const { token } = useSession();
  return (user) => [
    { title: 'Open', onChoose: () => navigate(`users/${user.id}`) },
    ...(may(token, 'users:write')
      ? [
          { title: 'Edit', onChoose: () => onEdit(user) },
          { title: user.active ? 'Deactivate' : 'Activate', onChoose: () => onActive(user) },
        ]
      : []),
    ...(may(token, 'users:delete')
      ? [{ title: 'Delete', danger: true, onChoose: () => onDelete(user) }]
      : []),
  ];
}
