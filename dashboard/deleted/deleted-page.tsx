import { useState } from 'preact/hooks';
import type { DeletedUser } from '../../client/index.ts';
import { useSession } from '../session.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { Field } from '../ui/field.tsx';
import { ListStatus } from '../ui/list-status.tsx';
import { Pager } from '../ui/pager.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { ACTIONS, Table } from '../ui/table.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { SIZES, useList } from '../ui/use-list.ts';
import { DeletedRow } from './deleted-row.tsx';
import { PurgeDialog } from './purge-dialog.tsx';
import { RestoreDialog } from './restore-dialog.tsx';

const DEBOUNCE_MS = 200;

/** The API finds whole addresses only, and refuses anything else. */
const isAddress = (text: string) => /^\S+@\S+\.\S+$/.test(text);

interface OpenDialog {
  action: 'restore' | 'purge';
  user: DeletedUser;
}

export function DeletedPage() {
  const { client } = useSession();
  const [text, setText] = useState('');
  const [size, setSize] = useState<number>(SIZES[0]);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [notice, setNotice] = useState('');

  const settled = useDebounced(text.trim(), DEBOUNCE_MS);
  const email = isAddress(settled) ? settled : undefined;
  const list = useList(JSON.stringify([email, size]), (cursor, signal) =>
    client.deletedUsers.list({ email, limit: size, cursor }, { signal }).page(),
  );

  const open = (dialog: OpenDialog) => {
    setNotice('');
    setDialog(dialog);
  };
  const close = () => setDialog(undefined);
  const finish = (notice: string) => {
    close();
    setNotice(notice);
    list.reload();
    focusHeading();
  };

  return (
    <>
      <div class="heading">
        <h1 tabIndex={-1}>Deleted users</h1>
      </div>
      <p class="quiet lead">
        They can be restored until they are purged: erased for good, from the activity too.
      </p>
      <form class="tools search" role="search" onSubmit={(event) => event.preventDefault()}>
        <Field label="Email">
          {(field) => (
            <input
              {...field}
              type="search"
              autocomplete="off"
              spellcheck={false}
              maxLength={254}
              placeholder="ada@example.com"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          )}
        </Field>
      </form>
      <div class="line">
        <p class="notice" role="status">
          {notice}
        </p>
        {settled && email === undefined ? (
          <p class="quiet status" role="status">
            Enter the full email address
          </p>
        ) : (
          <ListStatus list={list} singular="deleted user" plural="deleted users" />
        )}
      </div>
      <Failure error={list.error} onRetry={list.retry} />
      {!list.items && list.isLoading && <Skeleton />}
      {list.items && list.items.length > 0 && (
        <Table
          caption="Deleted users, the latest first"
          columns={['User', 'Email', 'Role', 'Deleted', 'Will be purged', ACTIONS]}
          busy={list.isLoading}
          stale={list.isStale}
        >
          {list.items.map((user) => (
            <DeletedRow
              key={user.id}
              user={user}
              onRestore={() => open({ action: 'restore', user })}
              onPurge={() => open({ action: 'purge', user })}
            />
          ))}
        </Table>
      )}
      {list.items?.length === 0 && !list.isStale && (
        <p class="empty">
          {email === undefined ? (
            'There are no deleted users.'
          ) : (
            <>
              No deleted user had the email <strong>{email}</strong>.
            </>
          )}
        </p>
      )}
      <Pager label="Pages of deleted users" list={list} size={size} onSize={setSize} />

      {dialog?.action === 'restore' && (
        <RestoreDialog
          user={dialog.user}
          onClose={close}
          onRestored={({ name }) => finish(`Restored ${name}`)}
        />
      )}
      {dialog?.action === 'purge' && (
        <PurgeDialog
          user={dialog.user}
          onClose={close}
          onPurged={() => finish(`Purged ${dialog.user.name}`)}
        />
      )}
    </>
  );
}
