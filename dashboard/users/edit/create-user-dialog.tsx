import type { User } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { NEW_USER } from '../user/fields.tsx';
import { UserForm } from './user-form.tsx';

interface Props {
  onClose(): void;
  onCreated(user: User): void;
}

export function CreateUserDialog({ onClose, onCreated }: Props) {
  const { client } = useSession();
  return (
    <Dialog title="Create a user" onClose={onClose}>
      <UserForm
        initial={NEW_USER}
        action="Create user"
        onSubmit={async (values) => onCreated(await client.users.create(values))}
      />
    </Dialog>
  );
}
