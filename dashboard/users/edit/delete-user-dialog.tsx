import { useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { FocusedBanner } from '../../ui/focused-banner.tsx';
import { hasStatus, useSubmit } from '../../ui/use-submit.ts';
import { FieldValue } from '../user/field-value.tsx';
import { titleOf } from '../../ui/field-title.ts';
import { fieldsOf } from './merge.ts';

interface Props {
  user: User;
  onClose(): void;
  onDeleted(user: User): void;
}

export function DeleteUserDialog({ user: listed, onClose, onDeleted }: Props) {
  const { client } = useSession();
  const [user, setUser] = useState(listed);
  const form = useSubmit([], async () => {
    try {
      await client.users.delete(user.id, { ifMatch: user.version });
    } catch (error) {
      if (hasStatus(error, 412)) return setUser(await client.users.get(user.id));
      if (!hasStatus(error, 404)) throw error; // otherwise somebody else has deleted it
    }
    onDeleted(user);
  });

  return (
    <Dialog title={`Delete ${user.name}?`} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.submit}>
        {user !== listed && (
          <FocusedBanner key={user}>
            <p>Somebody else changed this user meanwhile, so it was not deleted. Check what it is now:</p>
            <dl>
              {[...fieldsOf(user)].map(([field, value]) => (
                <div key={field}>
                  <dt>{titleOf(field)}</dt>
                  <dd>
                    <FieldValue field={field} value={value} />
                  </dd>
                </div>
              ))}
            </dl>
          </FocusedBanner>
        )}
        <p>
          This deletes <strong>{user.email}</strong> with all of its metadata. It can be restored under
          “Deleted” until it is purged, after 30 days unless the service is configured otherwise.
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
