import { useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { RestoreDialog } from '../../deleted/restore-dialog.tsx';
import { Link } from '../../router/link.tsx';
import { may } from '../../session/may.tsx';
import { useSession } from '../../session/session.ts';
import { focusHeading } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Messages } from '../../ui/messages.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useResource } from '../../ui/use-resource.ts';
import { hasStatus, isTaken } from '../../ui/faults.ts';
import { DeleteUserDialog } from '../edit/delete-user-dialog.tsx';
import type { EditingEvents } from '../edit/editable-panel.tsx';
import { UndoDelete } from '../edit/undo-delete.tsx';
import { GoneUser, NoUser } from './no-user.tsx';
import { UserActions } from './user-actions.tsx';
import { UserHead } from './user-head.tsx';
import { UserPanels } from './user-panels.tsx';

/** Everything about one user. */
export default function UserPage({ id }: { id: string }) {
  const { client, token } = useSession();
  const user = useResource(id, (signal) => client.users.get(id, { include: 'directory', signal }));
  const [dialog, setDialog] = useState<'delete' | 'restore'>();
  const [notice, setNotice] = useState('');
  const [error, setError] = useState<unknown>();
  /** The user if it was deleted here. */
  const [deleted, setDeleted] = useState<User>();
  const [canUndo, setCanUndo] = useState(false);

  const close = () => setDialog(undefined);
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
  const editing: EditingEvents | undefined =
    may(token, 'users:write') && !deleted
      ? {
          onEdit: () => setNotice(''),
          onSaved: (saved) => settle(`Saved ${saved.name}`, saved),
          onUnchanged: () => settle('No changes were made'),
          onCancelled: user.reload, // somebody else may have changed it
        }
      : undefined;
  const shown = deleted ?? user.value;
  /** Somebody else has deleted the user. A form that is open keeps what was typed. */
  const isGone = !deleted && hasStatus(user.error, 404);

  if (!shown)
    return (
      <>
        <UserHead id={id} user={undefined} />
        {user.isLoading && (
          <div class="user-page">
            <Skeleton isOfFacts />
          </div>
        )}
        {isGone ? <NoUser /> : <Failure error={user.error} onRetry={user.reload} />}
      </>
    );
  return (
    <>
      <UserHead
        id={id}
        user={shown}
        isDeleted={deleted !== undefined || isGone}
        actions={
          !deleted &&
          !isGone && (
            <UserActions
              user={shown}
              onDelete={() => {
                setNotice('');
                setDialog('delete');
              }}
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
        {isGone ? <GoneUser /> : <Failure error={user.error} onRetry={user.reload} />}
      </Messages>
      {deleted && !canUndo && (
        <p class="quiet lead">
          It can be restored under <Link to="deleted">Deleted</Link>.
        </p>
      )}
      <UserPanels user={shown} isDeleted={deleted !== undefined} editing={editing} />

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
