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
import { FIRST_SORT, SORTS } from './sorts.ts';
import { UserRow } from './user-row.tsx';
import { UserTools } from './user-tools.tsx';

/** What the service takes for a search. */
const MIN_QUERY = 2;
const TYPING_MS = 200;

type Doing = { what: 'create' } | { what: 'edit' | 'delete'; user: User };

export function UsersPage() {
  const { client } = useSession();
  const [text, setText] = useState('');
  const [sort, setSort] = useState(FIRST_SORT);
  const [size, setSize] = useState<number>(SIZES[0]);
  const [doing, setDoing] = useState<Doing>();
  const [notice, setNotice] = useState('');

  const settled = useDebounced(text.trim(), TYPING_MS);
  const query = [...settled].length >= MIN_QUERY ? settled : undefined;
  const list = useList(JSON.stringify([query, query === undefined && sort, size]), (cursor, signal) => {
    const page = { limit: size, cursor };
    const { search, list } = client.users;
    return query === undefined
      ? list({ ...SORTS[sort], ...page }, { signal }).page()
      : search({ q: query, ...page }, { signal }).page();
  });

  const start = (doing: Doing) => {
    setNotice('');
    setDoing(doing);
  };
  const stop = () => setDoing(undefined);
  const done = (notice: string) => {
    stop();
    setNotice(notice);
    list.reload();
  };

  return (
    <>
      <div class="heading">
        <h1 tabIndex={-1}>Users</h1>
        <button type="button" class="primary" onClick={() => start({ what: 'create' })}>
          Create user
        </button>
      </div>
      <UserTools text={text} onText={setText} sort={sort} onSort={setSort} isSearch={query !== undefined} />
      <div class="line">
        <p class="notice" role="status">
          {notice}
        </p>
        {settled && query === undefined ? (
          <p class="quiet status" role="status">
            A search wants two characters
          </p>
        ) : (
          <ListStatus list={list} one="user" many="users" />
        )}
      </div>
      <Failure error={list.error} onRetry={list.retry} />
      {!list.items && list.isLoading && <Skeleton />}
      {list.items && list.items.length > 0 && (
        <Table
          caption={query === undefined ? `Users: ${sort}` : `Users found, best match first`}
          columns={['User', 'Email', 'Role', 'Metadata', 'Created', 'Changed', ACTIONS]}
          busy={list.isLoading}
        >
          {list.items.map((user) => (
            <UserRow
              key={user.id}
              user={user}
              onEdit={() => start({ what: 'edit', user })}
              onDelete={() => start({ what: 'delete', user })}
            />
          ))}
        </Table>
      )}
      {list.items?.length === 0 && <Nobody query={query} />}
      <Pager label="Pages of users" list={list} size={size} onSize={setSize} />

      {doing?.what === 'create' && (
        <CreateUserDialog onClose={stop} onCreated={({ name }) => done(`Created ${name}`)} />
      )}
      {doing?.what === 'edit' && (
        <EditUserDialog
          id={doing.user.id}
          onClose={stop}
          onSaved={({ name }) => done(`Saved ${name}`)}
          onUnchanged={() => done('Nothing was changed')}
        />
      )}
      {doing?.what === 'delete' && (
        <DeleteUserDialog
          user={doing.user}
          onClose={stop}
          onDeleted={() => {
            done(`Deleted ${doing.user.name}`);
            focusHeading();
          }}
        />
      )}
    </>
  );
}

const Nobody = ({ query }: { query: string | undefined }) => (
  <div class="empty">
    {query === undefined ? (
      <p>There is nobody here yet. Create the first user, or let a program do it with the API.</p>
    ) : (
      <p>
        Nobody matches <strong>{query}</strong>. A search looks in names, emails, ids and the texts of
        metadata.
      </p>
    )}
  </div>
);
