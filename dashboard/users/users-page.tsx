import { useState } from 'preact/hooks';
import type { User } from '../../client/index.ts';
import { RestoreDialog } from '../deleted/restore-dialog.tsx';
import { useSession } from '../session.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { ListStatus } from '../ui/list-status.tsx';
import { Pager } from '../ui/pager.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { ACTIONS, Table } from '../ui/table.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { SIZES, useList } from '../ui/use-list.ts';
import { hasStatus } from '../ui/use-submit.ts';
import { CreateUserDialog } from './create-user-dialog.tsx';
import { DeleteUserDialog } from './delete-user-dialog.tsx';
import { EditUserDialog } from './edit-user-dialog.tsx';
import { ImportDialog } from './import/import-dialog.tsx';
import { type Role, ROLES } from './roles.ts';
import { FIRST_SORT, SORTS } from './sorts.ts';
import { UndoDelete } from './undo-delete.tsx';
import { UserRow } from './user-row.tsx';
import { UserTools } from './user-tools.tsx';

/** The minimum length of a query in the API. */
const MIN_QUERY_LENGTH = 2;
const DEBOUNCE_MS = 200;

type OpenDialog = { action: 'create' | 'import' } | { action: 'edit' | 'delete' | 'restore'; user: User };

export function UsersPage() {
  const { client } = useSession();
  const [text, setText] = useState('');
  const [role, setRole] = useState<Role>();
  const [sort, setSort] = useState(FIRST_SORT);
  const [size, setSize] = useState<number>(SIZES[0]);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [notice, setNotice] = useState('');
  const [deleted, setDeleted] = useState<User>();
  const [undoError, setUndoError] = useState<unknown>();

  const settled = useDebounced(text.trim(), DEBOUNCE_MS);
  const query = [...settled].length >= MIN_QUERY_LENGTH ? settled : undefined;
  const list = useList(JSON.stringify([query, role, query === undefined && sort, size]), (cursor, signal) => {
    const page = { role, limit: size, cursor };
    const { search, list } = client.users;
    return query === undefined
      ? list({ ...SORTS[sort], ...page }, { signal }).page()
      : search({ q: query, ...page }, { signal }).page();
  });

  const open = (dialog: OpenDialog) => {
    setNotice('');
    setDeleted(undefined);
    setUndoError(undefined);
    setDialog(dialog);
  };
  const close = () => setDialog(undefined);
  const failUndo = (error: unknown) => {
    setDeleted(undefined);
    setUndoError(error);
    focusHeading();
  };
  const settle = (notice: string) => {
    setNotice(notice);
    setDeleted(undefined);
    setUndoError(undefined);
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

  return (
    <>
      <div class="heading">
        <h1 tabIndex={-1}>Users</h1>
        <div class="buttons">
          <button type="button" onClick={() => open({ action: 'import' })}>
            Import users
          </button>
          <button type="button" class="primary" onClick={() => open({ action: 'create' })}>
            Create user
          </button>
        </div>
      </div>
      <UserTools
        text={text}
        onText={setText}
        role={role}
        onRole={setRole}
        sort={sort}
        onSort={setSort}
        isSearch={query !== undefined}
      />
      <div class="line">
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
              failUndo(error);
              if (hasStatus(error, 409)) setDialog((open) => open ?? { action: 'restore', user: deleted });
            }}
            onExpired={() => setDeleted(undefined)}
          />
        )}
        {settled && query === undefined ? (
          <p class="quiet status" role="status">
            Type at least two characters
          </p>
        ) : (
          <ListStatus list={list} singular="user" plural="users" />
        )}
      </div>
      <Failure error={undoError} />
      <Failure error={list.error} onRetry={list.retry} />
      {!list.items && list.isLoading && <Skeleton />}
      {list.items && list.items.length > 0 && (
        <Table
          caption={query === undefined ? `Users: ${sort}` : 'Search results, best match first'}
          columns={['User', 'Email', 'Role', 'Metadata', 'Created', 'Changed', ACTIONS]}
          busy={list.isLoading}
          stale={list.isStale}
        >
          {list.items.map((user) => (
            <UserRow
              key={user.id}
              user={user}
              onEdit={() => open({ action: 'edit', user })}
              onDelete={() => open({ action: 'delete', user })}
            />
          ))}
        </Table>
      )}
      {list.items?.length === 0 && !list.isStale && <NoUsers query={query} role={role} />}
      <Pager label="Pages of users" list={list} size={size} onSize={setSize} />

      {dialog?.action === 'create' && (
        <CreateUserDialog onClose={close} onCreated={({ name }) => finish(`Created ${name}`)} />
      )}
      {dialog?.action === 'import' && <ImportDialog onClose={close} onImported={list.reload} />}
      {dialog?.action === 'edit' && (
        <EditUserDialog
          id={dialog.user.id}
          onClose={close}
          onSaved={(saved) => {
            // With the old version in the row, the next change would seem to meet somebody else's.
            list.map((user) => (user.id === saved.id ? saved : user));
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

const NoUsers = ({ query, role }: { query: string | undefined; role: Role | undefined }) => {
  const withRole = role && ` with the role ${ROLES[role]}`;
  return (
    <div class="empty">
      {query !== undefined ? (
        <p>
          No users{withRole} match <strong>{query}</strong>. The search covers names, emails, ids and text
          values in metadata.
        </p>
      ) : role ? (
        <p>There are no users{withRole}.</p>
      ) : (
        <p>There are no users yet. Create the first one here or with the API.</p>
      )}
    </div>
  );
};
