import { useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { navigate, useNew } from '../../router/place.ts';
import { may } from '../../session/may.tsx';
import { useSession } from '../../session/session.ts';
import { focusHeading } from '../../ui/dialog.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { isTaken } from '../../ui/faults.ts';
import { SelectionBar } from '../bulk/selection-bar.tsx';
import { setActive } from '../edit/set-active.ts';
import { type Aftermath, AftermathMessages } from './aftermath.tsx';
import { columnsOf } from './columns.tsx';
import { FilterLine } from './filter-line.tsx';
import { NoUsers } from './no-users.tsx';
import { PageActions } from './page-actions.tsx';
import { useRowActions } from './row-actions.ts';
import { useUsers } from './use-users.ts';
import { type OpenDialog, UserDialogs } from './user-dialogs.tsx';
import { UserTools } from './user-tools.tsx';

export default function UsersPage() {
  const { client, token } = useSession();
  const { text, setText, filter, change, list, selection, count, offers } = useUsers();
  const [dialog, setDialog] = useState<OpenDialog>();
  const [aftermath, setAftermath] = useState<Aftermath>();

  const open = (dialog: OpenDialog) => {
    setAftermath(undefined);
    setDialog(dialog);
  };
  useNew(() => may(token, 'users:write') && open({ action: 'create' }));
  /** Keep the new version in the row: otherwise the next change of the user would be a 412. */
  const replace = (saved: User) =>
    list.change((users) => users.map((user) => (user.id === saved.id ? saved : user)));
  /** An action without a dialog has ended. A dialog that was opened meanwhile stays open. */
  const settle = (aftermath: Aftermath) => {
    setAftermath(aftermath);
    list.reload();
  };
  const changeActive = (user: User) =>
    setActive(client, user).then(
      (changed) => {
        replace(changed);
        settle({ kind: 'done', notice: `${changed.active ? 'Activated' : 'Deactivated'} ${changed.name}` });
        if (filter.active !== undefined) focusHeading(); // the row goes
      },
      (error: unknown) => settle({ kind: 'failed', error }),
    );
  const actionsOf = useRowActions({
    onEdit: (user) => open({ action: 'edit', user }),
    onActive: (user) => void changeActive(user),
    onDelete: (user) => open({ action: 'delete', user }),
  });

  return (
    <>
      <ListPage
        title="Users"
        actions={
          <PageActions
            onExport={() => open({ action: 'export' })}
            onCreate={() => open({ action: 'create' })}
          />
        }
        search={<UserTools text={text} onText={setText} filter={filter} change={change} offers={offers} />}
        beside={
          selection.selected.size > 0 ? (
            <SelectionBar
              selection={selection}
              filter={filter}
              hasMore={(list.toNext ?? list.toPrevious) !== undefined}
              onBulk={(bulk) => open({ action: 'bulk', bulk })}
            />
          ) : (
            <FilterLine filter={filter} change={change} />
          )
        }
        hint={text.trim() && filter.query === undefined && 'Type at least two characters'}
        count={count}
        list={list}
        singular="user"
        caption={
          filter.query === undefined
            ? `Users, by ${SORTED_BY[filter.sort]}`
            : 'Search results, best match first'
        }
        columns={columnsOf({
          offers,
          filter,
          selection,
          onSort: (sort, order) => change({ sort, order }),
          actionsOf,
        })}
        isSelected={({ id }) => selection.selected.has(id)}
        empty={
          <NoUsers
            filter={filter}
            onCreate={() => open({ action: 'create' })}
            onImport={() => navigate('users/import')}
          />
        }
      />
      <AftermathMessages
        aftermath={aftermath}
        onRestored={({ name }) => {
          settle({ kind: 'done', notice: `Restored ${name}` });
          focusHeading();
        }}
        onNotRestored={(user, error) => {
          setAftermath({ kind: 'failed', error });
          if (isTaken(error, 'email')) setDialog((dialog) => dialog ?? { action: 'restore', user });
          focusHeading();
        }}
        onExpired={(deleted) => setAftermath({ ...deleted, kind: 'done' })}
        onUndo={(bulk) => open({ action: 'bulk', bulk })}
        onDismiss={() => setAftermath(undefined)}
      />
      {dialog && (
        <UserDialogs
          dialog={dialog}
          filter={filter}
          onClose={() => setDialog(undefined)}
          onFinished={(aftermath) => {
            setDialog(undefined);
            setAftermath(aftermath);
            if (aftermath.kind === 'bulk') selection.clear();
          }}
          onWritten={list.reload}
          onSaved={replace}
          onGone={(gone) => list.change((users) => users.filter(({ id }) => id !== gone.id))}
        />
      )}
    </>
  );
}

const SORTED_BY = { name: 'name', email: 'email', createdAt: 'creation', updatedAt: 'last change' };
