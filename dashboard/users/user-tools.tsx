import { Field } from '../ui/field.tsx';
import { type Role, ROLES } from './roles.ts';
import { SORTS } from './sorts.ts';

interface Props {
  text: string;
  onText(text: string): void;
  /** Undefined for any role. */
  role: Role | undefined;
  onRole(role: Role | undefined): void;
  sort: string;
  onSort(sort: string): void;
  /** Search results cannot be sorted: they come best match first. */
  isSearch: boolean;
}

export const UserTools = ({ text, onText, role, onRole, sort, onSort, isSearch }: Props) => (
  <form class="tools search" role="search" onSubmit={(event) => event.preventDefault()}>
    <Field label="Search">
      {(field) => (
        <input
          {...field}
          type="search"
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
          placeholder="Name, email, id or metadata"
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
    </Field>
    <Field label="Role">
      {(field) => (
        <select
          {...field}
          value={role ?? ''}
          onChange={(event) => onRole((event.currentTarget.value || undefined) as Role | undefined)}
        >
          <option value="">Any role</option>
          {Object.entries(ROLES).map(([role, title]) => (
            <option key={role} value={role}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
    <Field label="Sort">
      {(field) => (
        <select
          {...field}
          value={isSearch ? '' : sort}
          disabled={isSearch}
          onChange={(event) => onSort(event.currentTarget.value)}
        >
          {isSearch && <option value="">Best match first</option>}
          {Object.keys(SORTS).map((sort) => (
            <option key={sort}>{sort}</option>
          ))}
        </select>
      )}
    </Field>
  </form>
);
