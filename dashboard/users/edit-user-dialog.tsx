import { useEffect, useState } from 'preact/hooks';
import type { UpdateUser, User } from '../../client/index.ts';
import { useSession } from '../session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { UserForm, type UserValues } from './user-form.tsx';

interface Props {
  id: string;
  onClose(): void;
  onSaved(user: User): void;
  onUnchanged(): void;
}

export function EditUserDialog({ id, onClose, onSaved, onUnchanged }: Props) {
  const { client } = useSession();
  const [user, setUser] = useState<User>();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  // As it is now: the list may be old, and metadata is replaced as a whole.
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setError(undefined);
    client.users.get(id, { signal }).then(setUser, (error: unknown) => {
      if (!signal.aborted) setError(error);
    });
    return () => controller.abort();
  }, [attempt]);

  return (
    <Dialog title={user ? `Edit ${user.name}` : 'Edit user'} onClose={onClose}>
      {user ? (
        <UserForm
          of={user}
          action="Save changes"
          onSubmit={async (values) => {
            const changes = changesOf(user, values);
            if (Object.keys(changes).length === 0) return onUnchanged();
            onSaved(await client.users.update(id, changes));
          }}
          onCancel={onClose}
        />
      ) : (
        <>
          <p class="quiet" role="status">
            {error === undefined && 'Loading …'}
          </p>
          <Failure error={error} onRetry={() => setAttempt((attempt) => attempt + 1)} />
          <div class="buttons">
            <button type="button" onClick={onClose}>
              Cancel
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** Only what differs: what somebody else changes meanwhile stays. */
function changesOf(user: User, values: UserValues): UpdateUser {
  const changed = Object.entries(values).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(user[field as keyof UserValues]),
  );
  return Object.fromEntries(changed);
}
