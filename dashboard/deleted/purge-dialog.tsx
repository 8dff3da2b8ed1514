import type { DeletedUser } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { ConfirmDialog } from '../ui/form-dialog.tsx';

interface Props {
  user: DeletedUser;
  onClose(): void;
  onPurged(): void;
}

export function PurgeDialog({ user, onClose, onPurged }: Props) {
  const { client } = useSession();
  return (
    <ConfirmDialog
      title={`Purge ${user.name}?`}
      action="Purge user"
      doing="Purging …"
      isDangerous
      onSubmit={() => client.deletedUsers.purge(user.id).then(onPurged)}
      onClose={onClose}
    >
      <p>
        This erases <strong>{user.email}</strong> for good: the name, the email and the metadata, and what the
        activity says about them. This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
