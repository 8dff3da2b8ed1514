import { useEffect, useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { navigate, useNew, useQuery } from '../../router/place.ts';
import { May, may } from '../../session/may.tsx';
import { useSession } from '../../session/session.ts';
import { focusHeading } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { Messages } from '../../ui/messages.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useList } from '../../ui/use-list.ts';
import { isTaken } from '../../ui/faults.ts';
import { useSelection } from '../bulk/selection.ts';
import { SelectionBar } from '../bulk/selection-bar.tsx';
import { setActive } from '../edit/set-active.ts';
import { UndoDelete } from '../edit/undo-delete.tsx';
import { rememberList } from '../user/came-from.ts';
import { pageOf, useUserFilter } from '../user/user-filter.ts';
import { columnsOf } from './columns.tsx';
import { NoUsers } from './no-users.tsx';
import { type Aftermath, type OpenDialog, UserDialogs } from './user-dialogs.tsx';
import { UserTools } from './user-tools.tsx';

export default function UsersPage() {
  const { client, token } = useSession();
  const { text: settled, filter, change } = useUserFilter();
  const [text, setText] = useState(settled);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [aftermath, setAftermath] = useState<Aftermath>();

  const typed = useDebounced(text.trim());
  useEffect(() => {
    if (typed !== settled) change({ q: typed || undefined });
  }, [typed]);
  useEffect(() => {
    if (settled !== typed) setText(settled); // the address has changed, not the text
  }, [settled]);

  const { query, role, active, group, sort, order } = filter;
  const filterKey = JSON.stringify([query, role, active, query === undefined && [group, sort, order]]);
  const list = useList(filterKey, (page, signal) => pageOf(client, filter, page, signal), { isPage: true });
  const selection = useSelection(filterKey, list.items);

  const [parameters] = useQuery();
  useEffect(() => {
    if (list.isStale || !list.items) return;
    const href = parameters.size > 0 ? `users?${parameters}` : 'users';
    rememberList({ ids: list.items.map(({ id }) => id), href });
  }, [list.items, list.isStale, String(parameters)]);

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
        if (active !== undefined) focusHeading(); // the row goes
      },
      (error: unknown) => settle({ kind: 'failed', error }),
    );

  /** A token may delete and yet not restore. */
  const canRestore = may(token, 'users:write');
  const actionsOf = (user: User): MenuItem[] => [
    { title: 'Open', onChoose: () => navigate(`users/${user.id}`) },
    ...(may(token, 'users:write')
      ? [
          { title: 'Edit', onChoose: () => open({ action: 'edit', user }) },
          { title: user.active ? 'Deactivate' : 'Activate', onChoose: () => void changeActive(user) },
        ]
      : []),
    ...(may(token, 'users:delete')
      ? [{ title: 'Delete', danger: true, onChoose: () => open({ action: 'delete', user }) }]
      : []),
  ];

  return (
    <>
      <ListPage
        title="Users"
        actions={
          <div class="buttons">
            <button type="button" onClick={() => open({ action: 'export' })}>
              Export
            </button>
            <May scope="users:write">
              <button type="button" onClick={() => navigate('users/import')}>
                Import users
              </button>
              <button type="button" class="primary" onClick={() => open({ action: 'create' })}>
                Create user
              </button>
            </May>
          </div>
        }
        search={<UserTools text={text} onText={setText} filter={filter} change={change} />}
        beside={
          selection.selected.size > 0 && (
            <SelectionBar
              selection={selection}
              filter={filter}
              hasMore={(list.toNext ?? list.toPrevious) !== undefined}
              onBulk={(bulk) => open({ action: 'bulk', bulk })}
            />
          )
        }
        hint={text.trim() && query === undefined && 'Type at least two characters'}
        list={list}
        singular="user"
        caption={query === undefined ? `Users, by ${SORTED_BY[sort]}` : 'Search results, best match first'}
        columns={columnsOf(filter, selection, (sort, order) => change({ sort, order }), actionsOf)}
        isSelected={({ id }) => selection.selected.has(id)}
        empty={<NoUsers query={query} role={role} active={active} isGroup={group !== undefined} />}
      />
      <Messages
        notice={aftermath && aftermath.kind !== 'failed' && aftermath.notice}
        action={
          aftermath?.kind === 'deleted' && canRestore ? (
            <UndoDelete
              key={aftermath.user.id}
              user={aftermath.user}
              onRestored={({ name }) => {
                settle({ kind: 'done', notice: `Restored ${name}` });
                focusHeading();
              }}
              onFailed={(error) => {
                setAftermath({ kind: 'failed', error });
                if (isTaken(error, 'email'))
                  setDialog((dialog) => dialog ?? { action: 'restore', user: aftermath.user });
                focusHeading();
              }}
              onExpired={() => setAftermath({ ...aftermath, kind: 'done' })}
            />
          ) : (
            aftermath?.kind === 'bulk' &&
            aftermath.undo &&
            canRestore && (
              <button
                type="button"
                class="small"
                onClick={() => open({ action: 'bulk', bulk: aftermath.undo! })}
              >
                Undo
              </button>
            )
          )
        }
      >
        <Failure
          error={aftermath?.kind === 'failed' ? aftermath.error : undefined}
          onDismiss={() => setAftermath(undefined)}
        />
      </Messages>
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
