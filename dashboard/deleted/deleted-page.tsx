import { useState } from 'preact/hooks';
import type { DeletedUser } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { ListPage } from '../ui/list-page.tsx';
import { Messages } from '../ui/messages.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { ACTIONS } from '../ui/table.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { SIZES, useList } from '../ui/use-list.ts';
import { DeletedRow } from './deleted-row.tsx';
import { RestoreDialog } from './restore-dialog.tsx';

/** The API finds whole addresses only, and refuses anything else. */
const isAddress = (text: string) => /^\S+@\S+\.\S+$/.test(text);

interface OpenDialog {
  action: 'restore' | 'purge';
  user: DeletedUser;
}

export default function DeletedPage() {
  const { client } = useSession();
  const [text, setText] = useState('');
  const [size, setSize] = useState<number>(SIZES[0]);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [notice, setNotice] = useState('');

  const settled = useDebounced(text.trim());
  const email = isAddress(settled) ? settled : undefined;
  const list = useList(
    JSON.stringify([email, size]),
    (cursor, signal) => client.deletedUsers.list({ email, limit: size, cursor }, { signal }).page(),
    { inHistory: true, size },
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
      <ListPage
        title="Deleted users"
        lead="They can be restored until they are purged: erased for good, from the activity too."
        search={
          <form class="tools search" role="search" onSubmit={(event) => event.preventDefault()}>
            <SearchField
              label="Email"
              placeholder="ada@example.com"
              maxLength={254}
              value={text}
              onValue={setText}
            />
          </form>
        }
        hint={settled && email === undefined && 'Enter the full email address'}
        list={list}
        items={list.items}
        singular="deleted user"
        plural="deleted users"
        caption="Deleted users, the latest first"
        columns={['User', 'Email', 'Role', 'Deleted', 'Will be purged', 'ID', ACTIONS]}
        empty={
          email === undefined ? (
            'There are no deleted users.'
          ) : (
            <>
              No deleted user had the email <strong>{email}</strong>.
            </>
          )
        }
        paging={{ size, onSize: setSize }}
      >
        {(user) => (
          <DeletedRow
            key={user.id}
            user={user}
            onRestore={() => open({ action: 'restore', user })}
            onPurge={() => open({ action: 'purge', user })}
          />
        )}
      </ListPage>
      <Messages>
        <p class="notice" role="status">
          {notice}
        </p>
      </Messages>

      {dialog?.action === 'restore' && (
        <RestoreDialog
          user={dialog.user}
          onClose={close}
          onRestored={({ name }) => finish(`Restored ${name}`)}
        />
      )}
      {dialog?.action === 'purge' && (
        <ConfirmDialog
          title={`Purge ${dialog.user.name}?`}
          action="Purge user"
          doing="Purging …"
          isDangerous
          onSubmit={async () => {
            await client.deletedUsers.purge(dialog.user.id);
            finish(`Purged ${dialog.user.name}`);
          }}
          onClose={close}
        >
          <p>
            This erases <strong>{dialog.user.email}</strong> for good: the name, the email and the metadata,
            and what the activity says about them. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
