import { useEffect, useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { RestoreDialog } from '../../deleted/restore-dialog.tsx';
import { navigate, useNew } from '../../router/place.ts';
import { May } from '../../session/may.tsx';
import { may } from '../../session/scopes.ts';
import { useSession } from '../../session/session.ts';
import { focusHeading } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { Messages } from '../../ui/messages.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useList } from '../../ui/use-list.ts';
import { isTaken } from '../../ui/use-submit.ts';
import type { Bulk, Outcome } from '../bulk/bulk.ts';
import { usersIn } from '../bulk/bulk.ts';
import { BulkDialog } from '../bulk/bulk-dialog.tsx';
import { useSelection } from '../bulk/selection.ts';
import { SelectionBar } from '../bulk/selection-bar.tsx';
import { CreateUserDialog } from '../edit/create-user-dialog.tsx';
import { DeleteUserDialog } from '../edit/delete-user-dialog.tsx';
import { EditUserDialog } from '../edit/edit-user-dialog.tsx';
import { UndoDelete } from '../edit/undo-delete.tsx';
import { ExportDialog } from '../export/export-dialog.tsx';
import { ImportDialog } from '../import/import-dialog.tsx';
import { pageOf, useUserFilter } from '../user/user-filter.ts';
import { columnsOf, WIDTHS } from './columns.tsx';
import { NoUsers } from './no-users.tsx';
import { setActive } from './set-active.ts';
import { UserRow } from './user-row.tsx';
import { UserTools } from './user-tools.tsx';

type OpenDialog =
  | { action: 'create' | 'import' | 'export' }
  | { action: 'edit' | 'delete' | 'restore'; user: User }
  | { action: 'bulk'; bulk: Bulk };

export default function UsersPage() {
  const { client, token } = useSession();
  const { text: settled, filter, size, change } = useUserFilter();
  const [text, setText] = useState(settled);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [notice, setNotice] = useState('');
  const [deleted, setDeleted] = useState<User>();
  /** Undoes the last change of many users. */
  const [undo, setUndo] = useState<Bulk>();
  /** The failure of an action without a dialog. */
  const [error, setError] = useState<unknown>();

  const typed = useDebounced(text.trim());
  useEffect(() => {
    if (typed !== settled) change({ q: typed || undefined });
  }, [typed]);
  useEffect(() => {
    if (settled !== typed) setText(settled); // the address has changed, not the text
  }, [settled]);

  const { query, role, active, group, sort, order } = filter;
  const filterKey = JSON.stringify([query, role, active, query === undefined && [group, sort, order]]);
  const list = useList(
    JSON.stringify([filterKey, size]),
    (cursor, signal) => pageOf(client, filter, { limit: size, cursor }, signal),
    { inHistory: true, size },
  );
  const selection = useSelection(filterKey, list.items);

  const open = (dialog: OpenDialog) => {
    setNotice('');
    setDeleted(undefined);
    setUndo(undefined);
    setError(undefined);
    setDialog(dialog);
  };
  useNew(() => may(token, 'users:write') && open({ action: 'create' }));
  const close = () => setDialog(undefined);
  /** With the old version in its row, the next change of the user would seem to meet somebody else's. */
  const replace = (saved: User) => list.map((user) => (user.id === saved.id ? saved : user));
  const settle = (notice: string) => {
    setNotice(notice);
    setDeleted(undefined);
    setUndo(undefined);
    setError(undefined);
    list.reload();
  };
  const finish = (notice: string) => {
    close();
    settle(notice);
  };
  const finishAtHeading = (notice: string) => {
    finish(notice);
    focusHeading();
  };
  const fail = (error: unknown) => {
    settle('');
    setError(error);
  };
  const changeActive = (user: User) =>
    setActive(client, user).then((changed) => {
      replace(changed);
      settle(`${changed.active ? 'Activated' : 'Deactivated'} ${changed.name}`);
      if (active !== undefined) focusHeading(); // the row goes
    }, fail);
  const finishBulk = (bulk: Bulk, { done }: Outcome) => {
    if (done.length === 0) return close();
    finishAtHeading(`${bulk.did} ${usersIn(done)}`);
    selection.clear();
    setUndo(bulk.undo?.(done));
  };

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
              <button type="button" onClick={() => open({ action: 'import' })}>
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
              hasMore={list.hasMore || list.toPrevious !== undefined}
              onBulk={(bulk) => open({ action: 'bulk', bulk })}
            />
          )
        }
        hint={text.trim() && query === undefined && 'Type at least two characters'}
        list={list}
        items={list.items}
        singular="user"
        plural="users"
        caption={query === undefined ? `Users, by ${SORTED_BY[sort]}` : 'Search results, best match first'}
        columns={columnsOf(filter, selection, (sort, order) => change({ sort, order }))}
        widths={WIDTHS}
        empty={<NoUsers query={query} role={role} active={active} isGroup={group !== undefined} />}
        paging={{ size, onSize: (rows) => change({ rows: String(rows) }) }}
      >
        {(user) => (
          <UserRow
            key={user.id}
            user={user}
            isSelected={selection.selected.has(user.id)}
            onSelect={(isSelected, isRange) => selection.toggle(user, isSelected, isRange)}
            actions={[
              { title: 'Open', onChoose: () => navigate(`users/${user.id}`) },
              ...(may(token, 'users:write')
                ? [
                    { title: 'Edit', onChoose: () => open({ action: 'edit', user }) },
                    {
                      title: user.active ? 'Deactivate' : 'Activate',
                      onChoose: () => void changeActive(user),
                    },
                  ]
                : []),
              ...(may(token, 'users:delete')
                ? [{ title: 'Delete', danger: true, onChoose: () => open({ action: 'delete', user }) }]
                : []),
            ]}
          />
        )}
      </ListPage>
      <Messages>
        <p class="notice" role="status">
          {notice}
        </p>
        {deleted && (
          <UndoDelete
            key={deleted.id}
            user={deleted}
            // A dialog that was opened meanwhile stays open.
            onRestored={({ name }) => {
              settle(`Restored ${name}`);
              focusHeading();
            }}
            onFailed={(error) => {
              setNotice('');
              setDeleted(undefined);
              setError(error);
              focusHeading();
              if (isTaken(error, 'email')) setDialog((open) => open ?? { action: 'restore', user: deleted });
            }}
            onExpired={() => setDeleted(undefined)}
          />
        )}
        {undo && (
          <button type="button" class="small" onClick={() => open({ action: 'bulk', bulk: undo })}>
            Undo
          </button>
        )}
        <Failure error={error} onDismiss={() => setError(undefined)} />
      </Messages>

      {dialog?.action === 'create' && (
        <CreateUserDialog onClose={close} onCreated={({ name }) => finish(`Created ${name}`)} />
      )}
      {dialog?.action === 'import' && <ImportDialog onClose={close} onImported={list.reload} />}
      {dialog?.action === 'export' && (
        <ExportDialog
          filter={filter}
          onClose={close}
          onExported={(length) => {
            close();
            setNotice(`Exported ${usersIn({ length })}`);
          }}
        />
      )}
      {dialog?.action === 'bulk' && (
        <BulkDialog
          key={dialog.bulk}
          bulk={dialog.bulk}
          onClose={close}
          onDone={(outcome) => finishBulk(dialog.bulk, outcome)}
        />
      )}
      {dialog?.action === 'edit' && (
        <EditUserDialog
          id={dialog.user.id}
          onClose={close}
          onGone={() => list.drop(({ id }) => id === dialog.user.id)}
          onSaved={(saved) => {
            replace(saved);
            finish(`Saved ${saved.name}`);
          }}
          onUnchanged={() => finish('No changes were made')}
        />
      )}
      {dialog?.action === 'delete' && (
        <DeleteUserDialog
          user={dialog.user}
          onClose={close}
          onDeleted={(user) => {
            finishAtHeading(`Deleted ${user.name}`);
            list.drop(({ id }) => id === user.id);
            setDeleted(user);
          }}
        />
      )}
      {dialog?.action === 'restore' && (
        <RestoreDialog
          user={dialog.user}
          isTaken
          onClose={close}
          onRestored={({ name }) => finishAtHeading(`Restored ${name}`)}
        />
      )}
    </>
  );
}

const SORTED_BY = { name: 'name', email: 'email', createdAt: 'creation', updatedAt: 'last change' };
