import { useState } from 'preact/hooks';
import type { User } from '../../client/index.ts';
import { useSession } from '../session.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { ListStatus } from '../ui/list-status.tsx';
import { Pager } from '../ui/pager.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { ACTIONS, Table } from '../ui/table.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { SIZES, useList } from '../ui/use-list.ts';
import { CreateUserDialog } from './create-user-dialog.tsx';
import { DeleteUserDialog } from './delete-user-dialog.tsx';
import { EditUserDialog } from './edit-user-dialog.tsx';
import { type Role, ROLES } from './roles.ts';
import { FIRST_SORT, SORTS } from './sorts.ts';
import { UserRow } from './user-row.tsx';
import { UserTools } from './user-tools.tsx';

/** The minimum length of a query in the API. */
const MIN_QUERY_LENGTH = 2;
const DEBOUNCE_MS = 200;

type OpenDialog = { action: 'create' } | { action: 'edit' | 'delete'; user: User };

export function UsersPage() {
  const { client } = useSession();
  const [text, setText] = useState('');
  const [role, setRole] = useState<Role>();
  const [sort, setSort] = useState(FIRST_SORT);
  const [size, setSize] = useState<number>(SIZES[0]);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [notice, setNotice] = useState('');

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
    setDialog(dialog);
  };
  const close = () => setDialog(undefined);
  const finish = (notice: string) => {
    close();
    setNotice(notice);
    list.reload();
  };

  return (
    <>
      <div class="heading">
        <h1 tabIndex={-1}>Users</h1>
        <button type="button" class="primary" onClick={() => open({ action: 'create' })}>
          Create user
        </button>
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
        {settled && query === undefined ? (
          <p class="quiet status" role="status">
            Type at least two characters
          </p>
        ) : (
          <ListStatus list={list} singular="user" plural="users" />
        )}
      </div>
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
          onDeleted={({ name }) => {
            finish(`Deleted ${name}`);
            focusHeading();
          }}
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
