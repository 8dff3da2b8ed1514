import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { CancelButton } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Field } from '../../ui/field.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { type UserValues, WRITABLE_FIELDS } from '../user/fields.ts';
import { type Role, ROLES } from '../user/roles.ts';
import { MetadataEditor } from './metadata-editor.tsx';
import { metadataOf, rowsOf } from './metadata-rows.ts';

interface Props {
  initial: UserValues;
  action: string;
  onSubmit(values: UserValues): Promise<void>;
}

export function UserForm({ initial, action, onSubmit }: Props) {
  const nameInput = useRef<HTMLInputElement>(null);
  const [externalId, setExternalId] = useState(initial.externalId ?? '');
  const [name, setName] = useState(initial.name);
  const [email, setEmail] = useState(initial.email);
  const [role, setRole] = useState(initial.role);
  const [active, setActive] = useState(initial.active);
  const [rows, setRows] = useState(() => rowsOf(initial.metadata));
  const form = useSubmit([...WRITABLE_FIELDS], () =>
    onSubmit({
      externalId: externalId.trim() === '' ? null : externalId,
      name,
      email,
      role,
      active,
      metadata: metadataOf(rows),
    }),
  );
  useLayoutEffect(() => nameInput.current?.focus(), []);

  return (
    <form class="stack" ref={form.ref} onSubmit={form.submit} noValidate>
      <Field label="Name" error={form.errorAt('name')}>
        {(field) => (
          <input
            {...field}
            ref={nameInput}
            autocomplete="off"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <div class="columns wide-first">
        <Field label="Email" error={form.errorAt('email')}>
          {(field) => (
            <input
              {...field}
              type="text"
              inputMode="email"
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              value={email}
              onInput={(event) => setEmail(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Role" error={form.errorAt('role')}>
          {(field) => (
            <select {...field} value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>
              {Object.entries(ROLES).map(([role, title]) => (
                <option key={role} value={role}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Field
        label="External ID"
        hint="Your own id of the user, such as a personnel number. Optional."
        error={form.errorAt('externalId')}
      >
        {(field) => (
          <input
            {...field}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={externalId}
            onInput={(event) => setExternalId(event.currentTarget.value)}
          />
        )}
      </Field>
      <label class="check">
        <input
          type="checkbox"
          checked={active}
          onChange={(event) => setActive(event.currentTarget.checked)}
        />
        <span>Active</span>
      </label>
      <MetadataEditor
        rows={rows}
        onRows={setRows}
        error={form.errorAt('metadata')}
        faults={form.errorsBelow('metadata')}
      />
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
