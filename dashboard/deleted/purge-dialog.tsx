import type { DeletedUser } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { CancelButton, Dialog } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { useSubmit } from '../ui/use-submit.ts';

interface Props {
  user: DeletedUser;
  onClose(): void;
  onPurged(): void;
}

export function PurgeDialog({ user, onClose, onPurged }: Props) {
  const { client } = useSession();
  const form = useSubmit([], async () => {
    await client.deletedUsers.purge(user.id);
    onPurged();
  });

  return (
    <Dialog title={`Purge ${user.name}?`} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.submit}>
        <p>
          This erases <strong>{user.email}</strong> for good: the name, the email and the metadata, and what
          the activity says about them. This cannot be undone.
        </p>
        <Failure error={form.error} />
        <div class="buttons">
          <CancelButton autofocus />
          <button class="danger solid" aria-disabled={form.busy}>
            {form.busy ? 'Purging …' : 'Purge user'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
