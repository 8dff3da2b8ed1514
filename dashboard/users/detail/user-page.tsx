import { useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { History } from '../../activity/history.tsx';
import { RestoreDialog } from '../../deleted/restore-dialog.tsx';
import { Link } from '../../router/link.tsx';
import { may } from '../../session/may.tsx';
import { useSession } from '../../session/session.ts';
import { focusHeading } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Messages } from '../../ui/messages.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useResource } from '../../ui/use-resource.ts';
import { hasStatus, isTaken } from '../../ui/faults.ts';
import { DeleteUserDialog } from '../edit/delete-user-dialog.tsx';
import { EditUserDialog } from '../edit/edit-user-dialog.tsx';
import { UndoDelete } from '../edit/undo-delete.tsx';
import { UserGroups } from '../edit/user-groups.tsx';
import { FACTS } from '../user/fields.tsx';
import { DirectoryAttributes } from './directory-attributes.tsx';
import { UserActions } from './user-actions.tsx';
import { ValuesPanel } from './values-panel.tsx';

const USERS = { path: 'users', title: 'Users' };
const ENTRIES = 20;

/** Everything about one user. */
export default function UserPage({ id }: { id: string }) {
  const { client, token } = useSession();
  const user = useResource(id, (signal) => client.users.get(id, { include: 'directory', signal }));
  const [dialog, setDialog] = useState<'edit' | 'delete' | 'restore'>();
  const [notice, setNotice] = useState('');
  const [error, setError] = useState<unknown>();
  /** The user if it was deleted here. */
  const [deleted, setDeleted] = useState<User>();
  const [canUndo, setCanUndo] = useState(false);

  const close = () => setDialog(undefined);
  const open = (dialog: 'edit' | 'delete') => {
    setNotice('');
    setDialog(dialog);
  };
  const settle = (notice: string, saved?: User) => {
    close();
    setError(undefined);
    setNotice(notice);
    // A change of the name or the email also changes what the directory has given.
    if (saved) user.set({ ...saved, directory: user.value?.directory });
    if (saved) user.reload();
  };
  const restored = (saved: User) => {
    setDeleted(undefined);
    settle(`Restored ${saved.name}`, saved);
    focusHeading();
  };
  const shown = deleted ?? user.value;

  if (!shown)
    return (
      <>
        <PageHead list={USERS} title="User" />
        {user.isLoading && <Skeleton />}
        {hasStatus(user.error, 404) ? <NoUser /> : <Failure error={user.error} onRetry={user.reload} />}
      </>
    );
  return (
    <>
      <PageHead
        list={USERS}
        title={shown.name}
        marks={
          <>
            {!shown.active && !deleted && <span class="chip warning">Inactive</span>}
            {deleted && <span class="chip warning">Deleted</span>}
          </>
        }
        actions={
          !deleted && (
            <UserActions
              user={shown}
              onEdit={() => open('edit')}
              onDelete={() => open('delete')}
              onChanged={(saved) =>
                settle(`${saved.active ? 'Activated' : 'Deactivated'} ${saved.name}`, saved)
              }
              onNotice={settle}
              onFailed={(error) => {
                settle('');
                setError(error);
                user.reload(); // somebody else may have changed it
              }}
            />
          )
        }
      />
      <Messages
        notice={notice}
        action={
          deleted &&
          canUndo &&
          may(token, 'users:write') && (
            <UndoDelete
              user={deleted}
              onRestored={restored}
              onFailed={(error) => {
                setError(error);
                focusHeading();
                if (isTaken(error, 'email')) setDialog('restore');
              }}
              onExpired={() => setCanUndo(false)}
            />
          )
        }
      >
        <Failure error={error} onDismiss={() => setError(undefined)} />
        <Failure error={user.error} onRetry={user.reload} />
      </Messages>
      {deleted && !canUndo && (
        <p class="quiet lead">
          It can be restored under <Link to="deleted">Deleted</Link>.
        </p>
      )}
      <div class="detail">
        <div class="stack">
          <Panel title="Profile">
            <Facts facts={FACTS.map(({ title, value }) => [title, value(shown)])} />
          </Panel>
          {!deleted && shown.directory && <DirectoryAttributes directory={shown.directory} />}
          <ValuesPanel title="Metadata" values={shown.metadata} />
          {!deleted && <UserGroups id={id} />}
        </div>
        {may(token, 'admin') && (
          <History
            title="Activity"
            label={`What happened to ${shown.name}`}
            query={{ target: id }}
            limit={ENTRIES}
            empty="Nothing is kept of what happened to this user."
            version={[shown.version, deleted !== undefined]}
          />
        )}
      </div>

      {dialog === 'edit' && (
        <EditUserDialog
          id={id}
          onClose={() => {
            close();
            user.reload(); // somebody else may have changed it
          }}
          onSaved={(saved) => settle(`Saved ${saved.name}`, saved)}
          onUnchanged={() => settle('No changes were made')}
        />
      )}
      {dialog === 'delete' && (
        <DeleteUserDialog
          user={shown}
          onClose={close}
          onDeleted={(user) => {
            settle(`Deleted ${user.name}`);
            setDeleted(user);
            setCanUndo(true);
            focusHeading();
          }}
        />
      )}
      {dialog === 'restore' && deleted && (
        <RestoreDialog user={deleted} isTaken onClose={close} onRestored={restored} />
      )}
    </>
  );
}

const NoUser = () => (
  <p class="empty">
    There is no such user. It may have been deleted: look among the <Link to="deleted">deleted users</Link>,
    or <Link to="users">search all users</Link>.
  </p>
);
