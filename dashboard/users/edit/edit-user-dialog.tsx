import { useEffect } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { hasStatus } from '../../ui/faults.ts';
import { useResource } from '../../ui/use-resource.ts';
import { EditForm } from './edit-form.tsx';
import { UserGroups } from './user-groups.tsx';

interface Props {
  id: string;
  onClose(): void;
  onSaved(user: User): void;
  onUnchanged(): void;
  /** Somebody else has deleted the user. */
  onGone?(): void;
}

export function EditUserDialog({ id, onClose, onGone, ...outcomes }: Props) {
  const { client } = useSession();
  // The current user: the list may be stale, and a change is compared with what the form began with.
  const user = useResource(id, (signal) => client.users.get(id, { signal }));
  useEffect(() => {
    if (hasStatus(user.error, 404)) onGone?.();
  }, [user.error]);

  return (
    <Dialog title={user.value ? `Edit ${user.value.name}` : 'Edit user'} onClose={onClose}>
      {user.value ? (
        <>
          <EditForm user={user.value} onGone={onGone} {...outcomes} />
          {/* Below the form, which it must not move while somebody types. */}
          <UserGroups id={id} isInDialog />
        </>
      ) : (
        <>
          <p class="quiet" role="status">
            {user.isLoading && 'Loading …'}
          </p>
          <Failure error={user.error} onRetry={user.reload} />
          <div class="buttons">
            <CancelButton />
          </div>
        </>
      )}
    </Dialog>
  );
}
