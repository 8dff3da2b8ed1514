import { CancelButton } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { FocusedBanner } from '../../ui/focused-banner.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { FieldValue } from '../user/field-value.tsx';
import { titleOf } from '../../ui/field-title.ts';
import type { UserValues } from '../user/fields.ts';
import type { Merge } from './merge.ts';

interface Props {
  merge: Merge;
  onSubmit(values: UserValues): Promise<void>;
  /** Called with the values chosen so far, to edit them further. */
  onEdit(values: UserValues): void;
}

/** Lets a person choose, for each field, between their own change and the one that somebody else has saved. */
export function MergeForm({ merge, onSubmit, onEdit }: Props) {
  const { conflicts, onlyMine, onlyTheirs } = merge;
  const chosenIn = (data: FormData) =>
    merge.resolve(conflicts.map(({ field }) => field).filter((field) => data.get(field) === 'mine'));
  const form = useSubmit([], (data) => onSubmit(chosenIn(data)));

  return (
    <form class="stack" ref={form.ref} onSubmit={form.submit}>
      <FocusedBanner>
        <p>
          Somebody else changed this user while you were editing it, so your changes are not saved yet.
          {conflicts.length > 0 && ' You both changed the fields below: choose the values to keep.'}
        </p>
        {onlyMine.length > 0 && <p>Only you changed {listOf(onlyMine)}: what you entered stays.</p>}
        {onlyTheirs.length > 0 && <p>Only they changed {listOf(onlyTheirs)}: what they saved stays.</p>}
      </FocusedBanner>
      {conflicts.map(({ field, ...values }) => (
        <fieldset class="field" key={field}>
          <legend>{titleOf(field)}</legend>
          <div class="choice">
            {(['mine', 'theirs'] as const).map((side) => (
              <label class="check card" key={side}>
                <input type="radio" name={field} value={side} defaultChecked={side === 'mine'} />
                <span>
                  <b>{side === 'mine' ? 'Yours' : 'Theirs'}</b>
                  <br />
                  <FieldValue field={field} value={values[side]} />
                </span>
              </label>
            ))}
          </div>
        </fieldset>
      ))}
      <Failure error={form.error} />
      <div class="buttons">
        <CancelButton />
        <button type="button" onClick={() => onEdit(chosenIn(new FormData(form.ref.current!)))}>
          Back to the form
        </button>
        <button class="primary" aria-disabled={form.busy}>
          {form.busy ? 'Saving …' : 'Save changes'}
        </button>
      </div>
    </form>
  );
}

const listOf = (fields: string[]) => new Intl.ListFormat('en').format(fields.map(titleOf));
