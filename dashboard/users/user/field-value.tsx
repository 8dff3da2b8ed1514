import { type Role, ROLES } from './roles.ts';

interface Props {
  field: string;
  value: unknown;
  /** Shown if there is no value. */
  absent?: string;
}

/** A value of a user in full. Metadata that is not text is shown as code. */
export function FieldValue({ field, value, absent = 'removed' }: Props) {
  if (value === undefined) return <span class="quiet">{absent}</span>;
  if (value === '') return <span class="quiet">empty</span>;
  if (value === null && !field.includes('.')) return <span class="quiet">none</span>;
  if (field === 'role') return <span>{ROLES[value as Role]}</span>;
  if (field === 'active') return <span>{value ? 'Yes' : 'No'}</span>;
  if (typeof value === 'string') return <span class="value">{value}</span>;
  return (
    <span class="value">
      <code>{JSON.stringify(value)}</code>
    </span>
  );
}
