import type { DeletedUser } from '../../client/index.ts';
import { May } from '../session/may.tsx';
import { ACTIONS, type Column } from '../ui/table.tsx';
import { ShortDate } from '../ui/time.tsx';
import { columnOf } from '../users/user/fields.tsx';

/** What is asked about a user. */
export interface OpenDialog {
  action: 'restore' | 'purge';
  user: DeletedUser;
}

/** The columns of the list; the buttons in the last one call `open`. */
export const columnsOf = (open: (dialog: OpenDialog) => void): Column<DeletedUser>[] => [
  {
    title: 'User',
    class: 'main wider',
    value: ({ name }) => (
      <strong class="clip" title={name}>
        {name}
      </strong>
    ),
  },
  columnOf('email'),
  columnOf('role'),
  { title: 'Deleted', value: ({ deletedAt }) => <ShortDate iso={deletedAt} /> },
  { title: 'Will be purged', value: ({ purgeAt }) => <ShortDate iso={purgeAt} /> },
  columnOf('id'),
  {
    ...ACTIONS,
    value: (user) => (
      <>
        <May scope="users:write">
          <button
            type="button"
            class="plain small"
            aria-label={`Restore ${user.name}`}
            onClick={() => open({ action: 'restore', user })}
          >
            Restore
          </button>
        </May>
        <May scope="admin">
          <button
            type="button"
            class="plain danger small"
            aria-label={`Purge ${user.name}`}
            onClick={() => open({ action: 'purge', user })}
          >
            Purge
          </button>
        </May>
      </>
    ),
  },
];
