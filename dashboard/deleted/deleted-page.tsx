import { useState } from 'preact/hooks';
import { useSession } from '../session/session.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { ListPage } from '../ui/list-page.tsx';
import { Messages } from '../ui/messages.tsx';
import { SearchField, SearchForm } from '../ui/search-field.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { useList } from '../ui/use-list.ts';
import { columnsOf, type OpenDialog } from './deleted-columns.tsx';
import { RestoreDialog } from './restore-dialog.tsx';

/** The API finds whole addresses only, and refuses anything else. */
const isAddress = (text: string) => /^\S+@\S+\.\S+$/.test(text);

export default function DeletedPage() {
  const { client } = useSession();
  const [text, setText] = useState('');
  const [dialog, setDialog] = useState<OpenDialog>();
  const [notice, setNotice] = useState('');

  const settled = useDebounced(text.trim());
  const email = isAddress(settled) ? settled : undefined;
  const list = useList(
    email ?? '',
    (page, signal) => client.deletedUsers.list({ email, ...page }, { signal }).page(),
    { isPage: true },
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
          <SearchForm>
            <SearchField
              label="Email"
              placeholder="ada@example.com"
              maxLength={254}
              value={text}
              onValue={setText}
            />
          </SearchForm>
        }
        hint={settled && email === undefined && 'Enter the full email address'}
        list={list}
        singular="deleted user"
        caption="Deleted users, the latest first"
        columns={columnsOf(open)}
        empty={
          email === undefined ? (
            'There are no deleted users.'
          ) : (
            <>
              No deleted user had the email <strong>{email}</strong>.
            </>
          )
        }
      />
      <Messages notice={notice} />

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
