import { useState } from 'preact/hooks';
import type { ApiError, User } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { hasStatus } from '../../ui/faults.ts';
import { titleOf } from '../../ui/format.ts';
import { FocusedBanner } from '../../ui/focused-banner.tsx';
import { FieldValue } from '../user/field-value.tsx';
import type { Input } from '../user/fields.tsx';
import type { UserValues } from '../user/values.ts';
import { changesOf, type Conflict, conflictsOf, withChanges } from './changes.ts';
import { UserForm } from './user-form.tsx';

interface Draft {
  /** The user as last loaded. */
  base: User;
  /** The values that the form starts with. */
  values: UserValues;
  /** Those of the values that somebody else has changed differently. */
  conflicts: Conflict[];
}

interface Props {
  /** The user whom the form begins with: another one makes no difference, so that nothing that was typed is lost. */
  user: User;
  /** The fields of the form; by default all. */
  inputs?: Input[];
  onSaved(user: User): void;
  onUnchanged(): void;
  /** Somebody else has deleted the user. */
  onGone?(): void;
}

/** The form that changes a user. */
export function EditForm({ user, inputs, onSaved, onUnchanged, onGone }: Props) {
  const { client } = useSession();
  const [draft, setDraft] = useState<Draft>({ base: user, values: user, conflicts: [] });
  const [deletion, setDeletion] = useState<ApiError>();

  /** Saves the changes, also on a newer version of the user, unless that has changed the same fields. */
  const save = async (base: User, values: UserValues): Promise<void> => {
    const changes = changesOf(base, values);
    if (Object.keys(changes.body).length === 0) return base === draft.base ? onUnchanged() : onSaved(base);
    const options = { merge: changes.isMerge, ifMatch: base.version };
    try {
      onSaved(await client.users.update(base.id, changes.body, options));
    } catch (error) {
      if (!hasStatus(error, 412)) throw error;
      const theirs = await client.users.get(base.id);
      const conflicts = conflictsOf(changes, base, values, theirs);
      const next = withChanges(changes, values, theirs);
      if (conflicts.length === 0) return save(theirs, next);
      setDraft({ base: theirs, values: next, conflicts });
    }
  };
  const submit = (values: UserValues) =>
    save(draft.base, values).catch((error: unknown) => {
      if (!hasStatus(error, 404)) throw error;
      setDeletion(error);
      onGone?.();
    });

  return (
    <>
      {deletion && (
        <FocusedBanner key={deletion}>
          Somebody else deleted this user, so your changes cannot be saved. You can still copy them from here.
        </FocusedBanner>
      )}
      {draft.conflicts.length > 0 && <ConflictBanner key={draft.base.version} conflicts={draft.conflicts} />}
      {/* The key makes the form begin anew, with what the other person has saved. */}
      <UserForm
        key={`form ${draft.base.version}`}
        initial={draft.values}
        inputs={inputs}
        action="Save changes"
        onSubmit={submit}
      />
    </>
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
