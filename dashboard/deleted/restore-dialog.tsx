import type { User } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { CancelButton, Dialog } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { Field } from '../ui/field.tsx';
import { FocusedBanner } from '../ui/focused-banner.tsx';
import { useSubmit } from '../ui/use-submit.ts';

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
  const form = useSubmit(['email'], async (data) => {
    const email = String(data.get('email'));
    onRestored(await client.deletedUsers.restore(user.id, email === user.email ? undefined : { email }));
  });

  return (
    <Dialog title={`Restore ${user.name}?`} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.submit} noValidate>
        {isTaken && (
          <FocusedBanner>
            <p>
              Somebody else has the email of this user by now, so it was not restored. Give it another one.
            </p>
          </FocusedBanner>
        )}
        <p>The user comes back with the same id, role and metadata.</p>
        <Field
          label="Email"
          hint={isTaken ? undefined : 'Enter another address if somebody else has taken this one.'}
          error={form.errorAt('email')}
        >
          {(field) => (
            <input {...field} name="email" type="email" autocomplete="off" defaultValue={user.email} />
          )}
        </Field>
        <Failure error={form.error} />
        <div class="buttons">
          <CancelButton />
          <button class="primary" autofocus aria-disabled={form.busy}>
            {form.busy ? 'Restoring …' : 'Restore user'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
