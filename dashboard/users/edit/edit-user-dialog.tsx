import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiError, User } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { titleOf } from '../../ui/format.ts';
import { FocusedBanner } from '../../ui/focused-banner.tsx';
import { useResource } from '../../ui/use-resource.ts';
import { hasStatus } from '../../ui/faults.ts';
import { FieldValue } from '../user/field-value.tsx';
import type { UserValues } from '../user/values.ts';
import { changesOf, type Conflict, conflictsOf, withChanges } from './changes.ts';
import { UserForm } from './user-form.tsx';
import { UserGroups } from './user-groups.tsx';

interface Draft {
  /** The user as last loaded. */
  base: User;
  /** The values that the form starts with. */
  values: UserValues;
  /** Those of the values that somebody else has changed differently. */
  conflicts: Conflict[];
}

interface Props {
  id: string;
  onClose(): void;
  onSaved(user: User): void;
  onUnchanged(): void;
  /** Somebody else has deleted the user. */
  onGone?(): void;
}

export function EditUserDialog({ id, onClose, onSaved, onUnchanged, onGone }: Props) {
  const { client } = useSession();
  // The current user: the list may be stale, and a change is compared with what the form began with.
  const user = useResource(id, (signal) => client.users.get(id, { signal }));
  const [rebased, setRebased] = useState<Draft>();
  const draft = rebased ?? (user.value && { base: user.value, values: user.value, conflicts: [] });
  const [deletion, setDeletion] = useState<ApiError>();
  useEffect(() => {
    if (hasStatus(user.error, 404)) onGone?.();
  }, [user.error]);

  /** Saves the changes, also on a newer version of the user, unless that has changed the same fields. */
  const save = async (base: User, values: UserValues): Promise<void> => {
    const changes = changesOf(base, values);
    if (Object.keys(changes.body).length === 0) return base === draft?.base ? onUnchanged() : onSaved(base);
    try {
      onSaved(await client.users.update(id, changes.body, { merge: changes.isMerge, ifMatch: base.version }));
    } catch (error) {
      if (!hasStatus(error, 412)) throw error;
      const theirs = await client.users.get(id);
      const conflicts = conflictsOf(changes, base, values, theirs);
      const next = withChanges(changes, values, theirs);
      if (conflicts.length === 0) return save(theirs, next);
      setRebased({ base: theirs, values: next, conflicts });
    }
  };
  const submit = (values: UserValues) =>
    save(draft!.base, values).catch((error: unknown) => {
      if (!hasStatus(error, 404)) throw error;
      setDeletion(error);
      onGone?.();
    });

  return (
    <Dialog title={draft ? `Edit ${draft.base.name}` : 'Edit user'} onClose={onClose}>
      {deletion && (
        <FocusedBanner key={deletion}>
          Somebody else deleted this user, so your changes cannot be saved. You can still copy them from here.
        </FocusedBanner>
      )}
      {draft ? (
        // The key makes the form begin anew, with what the other person has saved.
        <Fragment key={draft.base.version}>
          {draft.conflicts.length > 0 && <ConflictBanner conflicts={draft.conflicts} />}
          <UserForm initial={draft.values} action="Save changes" onSubmit={submit} />
          {/* Below the form, which it must not move while somebody types. */}
          <UserGroups id={id} isInDialog />
        </Fragment>
      ) : (
        <>
          <p class="quiet" role="status">
            {user.isLoading && 'Loading …'}
          </p>
          <Failure error={user.error} onRetry={user.reload} />
          <div class="buttons">
            <CancelButton />
          </div>
        </>
      )}
    </Dialog>
  );
}

/** Says what two people have changed differently, and that nothing is saved yet. */
const ConflictBanner = ({ conflicts }: { conflicts: Conflict[] }) => (
  <FocusedBanner>
    <p>
      Somebody else changed this user while you were editing it, so your changes are not saved yet. The form
      has your values; save again to replace theirs.
    </p>
    <ul>
      {conflicts.map(({ field, mine, theirs }) => (
        <li key={field}>
          {titleOf(field)}: yours is <FieldValue field={field} value={mine} />, theirs is{' '}
          <FieldValue field={field} value={theirs} />.
        </li>
      ))}
    </ul>
  </FocusedBanner>
);
