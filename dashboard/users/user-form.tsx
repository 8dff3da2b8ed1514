import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { User } from '../../client/index.ts';
import { Failure } from '../ui/failure.tsx';
import { Field } from '../ui/field.tsx';
import { useSubmit } from '../ui/use-submit.ts';
import { MetadataEditor } from './metadata-editor.tsx';
import { metadataOf, rowsOf } from './metadata-rows.ts';

/** What a person decides about a user. */
export type UserValues = Pick<User, 'name' | 'email' | 'role' | 'metadata'>;

const ROLES: User['role'][] = ['member', 'admin', 'viewer'];

interface Props {
  of: UserValues;
  action: string;
  onSubmit(values: UserValues): Promise<void>;
  onCancel(): void;
}

export function UserForm({ of, action, onSubmit, onCancel }: Props) {
  const first = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(of.name);
  const [email, setEmail] = useState(of.email);
  const [role, setRole] = useState(of.role);
  const [rows, setRows] = useState(() => rowsOf(of.metadata));
  const form = useSubmit(['name', 'email', 'role', 'metadata'], () =>
    onSubmit({ name, email, role, metadata: metadataOf(rows) }),
  );
  useLayoutEffect(() => first.current?.focus(), []);

  return (
    <form class="stack" ref={form.ref} onSubmit={form.submit} noValidate>
      <Field label="Name" error={form.errorAt('name')}>
        {(field) => (
          <input
            {...field}
            ref={first}
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
            <select
              {...field}
              value={role}
              onChange={(event) => setRole(event.currentTarget.value as User['role'])}
            >
              {ROLES.map((role) => (
                <option key={role}>{role}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <MetadataEditor
        rows={rows}
        onRows={setRows}
        error={form.errorAt('metadata')}
        faults={form.errorsBelow('metadata')}
      />
      <Failure error={form.error} />
      <div class="buttons">
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button class="primary" aria-disabled={form.busy}>
          {form.busy ? 'Saving …' : action}
        </button>
      </div>
    </form>
  );
}
