import { useLayoutEffect, useState } from 'preact/hooks';
import { CancelButton } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { CheckField, InputField } from '../../ui/field.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { type Input, INPUTS } from '../user/fields.tsx';
import type { UserValues } from '../user/values.ts';
import { ROLES } from '../user/roles.ts';
import { MetadataEditor } from './metadata-editor.tsx';
import { metadataOf, rowsOf } from './metadata-rows.ts';

interface Props {
  initial: UserValues;
  /** The fields of the form. Others keep their values. */
  inputs?: Input[];
  action: string;
  onSubmit(values: UserValues): Promise<void>;
}

export function UserForm({ initial, inputs = INPUTS, action, onSubmit }: Props) {
  const [values, setValues] = useState<Record<keyof UserValues, unknown>>(initial);
  const [rows, setRows] = useState(() => rowsOf(initial.metadata));
  const form = useSubmit(
    inputs.map(({ name }) => name),
    () => onSubmit({ ...entered(values), metadata: metadataOf(rows) }),
  );
  useLayoutEffect(() => form.ref.current?.querySelector<HTMLElement>('input, button')?.focus(), []);

  const controlOf = ({ name, control, label, hint, attributes }: Input) => {
    const set = (value: unknown) => setValues((values) => ({ ...values, [name]: value }));
    const text = String(values[name] ?? '');
    const error = form.errorAt(name);
    switch (control) {
      case 'text':
        return (
          <InputField
            label={label}
            hint={hint}
            error={error}
            {...attributes}
            value={text}
            onInput={(event) => set(event.currentTarget.value)}
          />
        );
      case 'role':
        return <SelectField label={label} error={error} options={ROLES} value={text} onValue={set} />;
      case 'check':
        return (
          <CheckField checked={values[name] === true} onChange={(event) => set(event.currentTarget.checked)}>
            {label}
          </CheckField>
        );
      case 'metadata':
        return <MetadataEditor rows={rows} onRows={setRows} error={error} faults={form.errorsBelow(name)} />;
    }
  };

  return (
    <form class="stack user-form" ref={form.ref} onSubmit={form.submit} noValidate>
      {inputs.map((input) => (
        <div key={input.name} class={input.isHalf ? 'half' : undefined}>
          {controlOf(input)}
        </div>
      ))}
      <Failure error={form.error} />
      <div class="buttons">
        <CancelButton />
        <button class="primary" aria-disabled={form.busy}>
          {form.busy ? 'Saving …' : action}
        </button>
      </div>
    </form>
  );
}

/** The values to send. A field that may have no value has none if its text is empty. */
const entered = (values: Record<keyof UserValues, unknown>): UserValues =>
  Object.fromEntries(
    INPUTS.map(({ name, initial }) => {
      const value = values[name];
      return [name, initial === null && String(value ?? '').trim() === '' ? null : value];
    }),
  ) as unknown as UserValues;
