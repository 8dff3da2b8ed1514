import { GroupSelect } from '../../groups/group-select.tsx';
import { SearchField, SearchForm } from '../../ui/search-field.tsx';
import { SelectField } from '../../ui/select-field.tsx';
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
    <SearchForm isTerse>
      <SearchField
        label="Search"
        placeholder="Name, email, id or metadata"
        maxLength={200}
        value={text}
        onValue={onText}
      />
      <SelectField
        label="Role"
        options={ROLES}
        any="Any role"
        value={role ?? ''}
        onValue={(role) => change({ role: role || undefined })}
      />
      <SelectField
        label="State"
        options={{ true: 'Active', false: 'Inactive' }}
        any="Any state"
        value={active === undefined ? '' : String(active)}
        onValue={(active) => change({ active: active || undefined })}
      />
      <GroupSelect group={group} onGroup={(group) => change({ group })} disabled={isSearch} />
      <div class="narrow">
        <SelectField
          label="Sort"
          options={SORTS}
          any={isSearch ? 'Best match first' : undefined}
          value={isSearch ? '' : `${sort} ${order}`}
          disabled={isSearch}
          onValue={(chosen) => {
            const [sort, order] = chosen.split(' ');
            change({ sort, order });
          }}
        />
      </div>
    </SearchForm>
  );
}
