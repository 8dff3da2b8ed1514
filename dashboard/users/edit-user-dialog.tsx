import { useEffect, useState } from 'preact/hooks';
import type { UpdateUser, User } from '../../client/index.ts';
import { useSession } from '../session.ts';
import { CancelButton, Dialog } from '../ui/dialog.tsx';
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
  // Fetches the current user: the list may be stale, and saving replaces the whole metadata.
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
          initial={user}
          action="Save changes"
          onSubmit={async (values) => {
            const changes = changesOf(user, values);
            if (Object.keys(changes).length === 0) return onUnchanged();
            onSaved(await client.users.update(id, changes));
          }}
        />
      ) : (
        <>
          <p class="quiet" role="status">
            {error === undefined && 'Loading …'}
          </p>
          <Failure error={error} onRetry={() => setAttempt((attempt) => attempt + 1)} />
          <div class="buttons">
            <CancelButton />
          </div>
        </>
      )}
    </Dialog>
  );
}

/** Only the changed fields, so that concurrent changes to other fields are kept. */
function changesOf(user: User, values: UserValues): UpdateUser {
  const changes = Object.entries(values).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(user[field as keyof UserValues]),
  );
  return Object.fromEntries(changes);
}
