import { useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { Facts } from '../../ui/facts.tsx';
import { titleOf } from '../../ui/format.ts';
import { FocusedBanner } from '../../ui/focused-banner.tsx';
import { ConfirmDialog } from '../../ui/form-dialog.tsx';
import { hasStatus } from '../../ui/faults.ts';
import { FieldValue } from '../user/field-value.tsx';
import { namesOf, valueAt } from './changes.ts';

interface Props {
  user: User;
  onClose(): void;
  onDeleted(user: User): void;
}

export function DeleteUserDialog({ user: listed, onClose, onDeleted }: Props) {
  const { client } = useSession();
  const [user, setUser] = useState(listed);
  const remove = async () => {
    try {
      await client.users.delete(user.id, { ifMatch: user.version });
    } catch (error) {
      if (hasStatus(error, 412)) return setUser(await client.users.get(user.id));
      if (!hasStatus(error, 404)) throw error; // otherwise somebody else has deleted it
    }
    onDeleted(user);
  };

  return (
    <ConfirmDialog
      title={`Delete ${user.name}?`}
      action="Delete user"
      doing="Deleting …"
      isDangerous
      onSubmit={remove}
      onClose={onClose}
    >
      {user !== listed && (
        <FocusedBanner key={user}>
          <p>Somebody else changed this user meanwhile, so it was not deleted. Check what it is now:</p>
          <Facts
            facts={namesOf(user).map((field) => [
              titleOf(field),
              <FieldValue field={field} value={valueAt(user, field)} />,
            ])}
          />
        </FocusedBanner>
      )}
      <p>
        This deletes <strong>{user.email}</strong> with all of its metadata. It can be restored under
        “Deleted” until it is purged, after 30 days unless the service is configured otherwise.
      </p>
    </ConfirmDialog>
  );
}
