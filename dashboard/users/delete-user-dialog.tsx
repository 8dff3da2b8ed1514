import { ApiError, type User } from '../../client/index.ts';
import { useSession } from '../session.ts';
import { CancelButton, Dialog } from '../ui/dialog.tsx';
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
      // Already deleted by someone else.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    });
    onDeleted();
  });

  return (
    <Dialog title={`Delete ${user.name}?`} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.submit}>
        <p>
          This permanently deletes <strong>{user.email}</strong> and all of its metadata. This cannot be
          undone.
        </p>
        <Failure error={form.error} />
        <div class="buttons">
          <CancelButton autofocus />
          <button class="danger solid" aria-disabled={form.busy}>
            {form.busy ? 'Deleting …' : 'Delete user'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
