import { type Role, ROLES } from './roles.tsx';

/** A value of a user in full. Metadata that is not text is shown as JSON, as in the editor. */
export function FieldValue({ field, value }: { field: string; value: unknown }) {
  if (value === undefined) return <span class="quiet">removed</span>;
  if (value === '') return <span class="quiet">empty</span>;
  if (value === null && !field.includes('.')) return <span class="quiet">none</span>;
  if (field === 'role') return <span>{ROLES[value as Role]}</span>;
  if (field === 'active') return <span>{value ? 'Yes' : 'No'}</span>;
  if (typeof value === 'string') return <span class="value">{value}</span>;
  return (
    <span class="value">
      <code>{JSON.stringify(value)}</code> <span class="quiet">(JSON)</span>
    </span>
  );
}
