import { GroupSelect } from '../../groups/group-select.tsx';
import { Field } from '../../ui/field.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { ROLES } from '../user/roles.ts';
import type { UserFilter } from '../user/user-filter.ts';

interface Props {
  text: string;
  onText(text: string): void;
  filter: UserFilter;
  /** Changes parameters of the address. */
  change(changes: Record<string, string | undefined>): void;
}

/** For narrow windows, which show no column headings. */
const SORTS = {
  'createdAt desc': 'Newest first',
  'createdAt asc': 'Oldest first',
  'updatedAt desc': 'Recently changed first',
  'updatedAt asc': 'Least recently changed first',
  'name asc': 'Name, A to Z',
  'name desc': 'Name, Z to A',
  'email asc': 'Email, A to Z',
  'email desc': 'Email, Z to A',
};

export function UserTools({ text, onText, filter, change }: Props) {
  const { query, role, active, group, sort, order } = filter;
  const isSearch = query !== undefined;
  return (
    <form class="tools search terse" role="search" onSubmit={(event) => event.preventDefault()}>
      <SearchField
        label="Search"
        placeholder="Name, email, id or metadata"
        maxLength={200}
        value={text}
        onValue={onText}
      />
      <Field label="Role">
        {(field) => (
          <select
            {...field}
            value={role ?? ''}
            onChange={(event) => change({ role: event.currentTarget.value || undefined })}
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
      <Field label="State">
        {(field) => (
          <select
            {...field}
            value={active === undefined ? '' : String(active)}
            onChange={(event) => change({ active: event.currentTarget.value || undefined })}
          >
            <option value="">Any state</option>
            <option value="true">Active</option>
            <option value="false">Inactive</option>
          </select>
        )}
      </Field>
      <GroupSelect group={group} onGroup={(group) => change({ group })} disabled={isSearch} />
      <div class="narrow">
        <Field label="Sort">
          {(field) => (
            <select
              {...field}
              value={isSearch ? '' : `${sort} ${order}`}
              disabled={isSearch}
              onChange={(event) => {
                const [sort, order] = event.currentTarget.value.split(' ');
                change({ sort, order });
              }}
            >
              {isSearch && <option value="">Best match first</option>}
              {Object.entries(SORTS).map(([sort, title]) => (
                <option key={sort} value={sort}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
    </form>
  );
}
