import { GroupSelect } from '../../groups/group-select.tsx';
import { SearchField, SearchForm } from '../../ui/search-field.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { ROLES } from '../user/roles.ts';
import { timeChanges } from '../user/time-filter.ts';
import type { ChangeFilter } from '../user/use-user-filter.ts';
import type { UserFilter } from '../user/user-filter.ts';
import { ColumnChooser } from './column-chooser.tsx';
import type { Offer } from './offers.tsx';
import { sortingOf, sortsOf } from './sorts.ts';
import { TimeDays, TimeSelect } from './time-tools.tsx';

interface Props {
  text: string;
  onText(text: string): void;
  filter: UserFilter;
  /** Changes parameters of the address. */
  change: ChangeFilter;
  offers: Offer[];
}

/** A role, or all but one of them. */
const ROLE_OPTIONS = [
  ...Object.entries(ROLES),
  ...Object.keys(ROLES).map((left) => {
    const others = Object.entries(ROLES).filter(([role]) => role !== left);
    return [others.map(([role]) => role).join(), others.map(([, title]) => title).join(' or ')];
  }),
];

export function UserTools({ text, onText, filter, change, offers }: Props) {
  const { query, roles, active, group, time, sort, order } = filter;
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
        options={ROLE_OPTIONS}
        any="Any role"
        value={roles.join()}
        onValue={(role) => change({ role: role || undefined })}
      />
      <SelectField
        label="State"
        options={{ true: 'Active', false: 'Inactive' }}
        any="Any state"
        value={active === undefined ? '' : String(active)}
        onValue={(active) => change({ active: active || undefined })}
      />
      <GroupSelect
        group={group}
        onGroup={(group) => change({ ...timeChanges(undefined), group })}
        disabled={isSearch}
      />
      <TimeSelect time={time} change={change} disabled={isSearch} />
      {/* A narrow window shows no heads of columns. */}
      <div class="narrow">
        <SelectField
          label="Sort"
          options={sortsOf(filter).map(({ value, title }) => [value, title])}
          any={isSearch ? 'Best match first' : undefined}
          value={isSearch ? '' : `${sort} ${order}`}
          disabled={isSearch}
          onValue={(chosen) => change({ ...sortingOf(chosen) })}
        />
      </div>
      <ColumnChooser offers={offers} />
      <TimeDays time={time} change={change} disabled={isSearch} />
    </SearchForm>
  );
}
