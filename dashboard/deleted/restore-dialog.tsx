import type { User } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { InputField } from '../ui/field.tsx';
import { FocusedBanner } from '../ui/focused-banner.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';

interface Props {
  user: User;
  /** Whether a restore has failed because another user has the email. */
  isTaken?: boolean;
  onClose(): void;
  onRestored(user: User): void;
}

/** Restores a user, with another email if the former one is taken: the field then shows the service's error. */
export function RestoreDialog({ user, isTaken, onClose, onRestored }: Props) {
  const { client } = useSession();
  return (
    <FormDialog
      title={`Restore ${user.name}?`}
      action="Restore user"
      doing="Restoring …"
      fields={['email']}
      focus="action"
      onSubmit={async (data) => {
        const email = String(data.get('email'));
        onRestored(await client.deletedUsers.restore(user.id, email === user.email ? undefined : { email }));
      }}
      onClose={onClose}
    >
      {(errorAt) => (
        <>
          {isTaken && (
            <FocusedBanner>
              Somebody else has the email of this user by now, so it was not restored. Give it another one.
            </FocusedBanner>
          )}
          <p>The user comes back with the same id, role and metadata.</p>
          <InputField
            label="Email"
            hint={isTaken ? undefined : 'Enter another address if somebody else has taken this one.'}
            error={errorAt('email')}
            name="email"
            type="email"
            defaultValue={user.email}
          />
        </>
      )}
    </FormDialog>
  );
}
