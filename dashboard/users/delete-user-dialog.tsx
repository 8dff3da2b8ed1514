import { ApiError, type User } from '../../client/index.ts';
import { useSession } from '../session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { useSubmit } from '../ui/use-submit.ts';

interface Props {
  user: User;
  onClose(): void;
  onDeleted(): void;
}

export function DeleteUserDialog({ user, onClose, onDeleted }: Props) {
  const { client } = useSession();
  const form = useSubmit([], async () => {
    await client.users.delete(user.id).catch((error: unknown) => {
      // Somebody was faster.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    });
    onDeleted();
  });

  return (
    <Dialog title={`Delete ${user.name}?`} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.submit}>
        <p>
          The user with the email <strong>{user.email}</strong> and everything stored with it is gone then.
          This cannot be undone.
        </p>
        <Failure error={form.error} />
        <div class="buttons">
          <button type="button" onClick={onClose} autofocus>
            Cancel
          </button>
          <button class="danger solid" aria-disabled={form.busy}>
            {form.busy ? 'Deleting …' : 'Delete user'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
