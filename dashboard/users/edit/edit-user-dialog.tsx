import { useEffect, useState } from 'preact/hooks';
import type { ApiError, User } from '../../../client/index.ts';
import { GroupsOfUser } from '../../groups/groups-of-user.tsx';
import { useSession } from '../../session/session.ts';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { FocusedBanner } from '../../ui/focused-banner.tsx';
import { hasStatus } from '../../ui/use-submit.ts';
import type { UserValues } from '../user/fields.ts';
import { changeOf, isKey, type Merge, mergeOf } from './merge.ts';
import { MergeForm } from './merge-form.tsx';
import { UserForm } from './user-form.tsx';

/** A user as last loaded, and the values that the form starts with. */
interface Draft {
  base: User;
  values: UserValues;
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
  const [draft, setDraft] = useState<Draft>();
  const [merge, setMerge] = useState<Merge>();
  const [deletion, setDeletion] = useState<ApiError>();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  // Fetches the current user: the list may be stale, and a change is compared with what the form began with.
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setError(undefined);
    client.users.get(id, { signal }).then(
      (user) => setDraft({ base: user, values: user }),
      (error: unknown) => {
        if (signal.aborted) return;
        setError(error);
        if (hasStatus(error, 404)) onGone?.();
      },
    );
    return () => controller.abort();
  }, [attempt]);

  const edit = (draft: Draft) => {
    setMerge(undefined);
    setDraft(draft);
  };
  const attemptSave = async (base: User, values: UserValues): Promise<void> => {
    const { changes, isMerge } = changeOf(base, values);
    if (Object.keys(changes).length === 0) return onUnchanged();
    try {
      onSaved(await client.users.update(id, changes, { merge: isMerge, ifMatch: base.version }));
    } catch (error) {
      if (!hasStatus(error, 412)) throw error;
      const merge = mergeOf(base, values, await client.users.get(id));
      const { conflicts, onlyMine, theirs, resolve } = merge;
      // Both made the same changes, or the response to an earlier attempt was lost.
      if (conflicts.length + onlyMine.length === 0) return onSaved(theirs);
      // Other keys of the metadata are independent of what somebody else has changed.
      if (conflicts.length === 0 && onlyMine.every(isKey)) return attemptSave(theirs, resolve([]));
      setMerge(merge);
    }
  };
  const save = (base: User, values: UserValues) =>
    attemptSave(base, values).catch((error: unknown) => {
      if (!hasStatus(error, 404)) throw error;
      edit({ base, values });
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
      {merge ? (
        <MergeForm
          key={merge}
          merge={merge}
          onSubmit={(values) => save(merge.theirs, values)}
          onEdit={(values) => edit({ base: merge.theirs, values })}
        />
      ) : draft ? (
        <>
          <UserForm
            initial={draft.values}
            action="Save changes"
            onSubmit={(values) => save(draft.base, values)}
          />
          {/* Below the form, which it must not move while somebody types. */}
          <GroupsOfUser id={id} />
        </>
      ) : (
        <>
          <p class="quiet" role="status">
            {error === undefined && 'Loading …'}
          </p>
          <Failure error={error} onRetry={() => setAttempt((attempt) => attempt + 1)} />
          <div class="buttons">
            <CancelButton />
          </div>
        </>
      )}
    </Dialog>
  );
}
