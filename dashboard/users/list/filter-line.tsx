import { focusHeading } from '../../ui/dialog.tsx';
import { isFiltered, usersInWords } from '../user/filter-words.ts';
import { timeChanges } from '../user/time-filter.ts';
import type { ChangeFilter } from '../user/use-user-filter.ts';
import type { UserFilter } from '../user/user-filter.ts';

interface Props {
  filter: UserFilter;
  change: ChangeFilter;
}

/** Says whom the filter lets pass, and takes it away. */
export function FilterLine({ filter, change }: Props) {
  if (!isFiltered(filter)) return null;
  const words = usersInWords(filter);
  const clear = () => {
    change({ ...timeChanges(undefined), role: undefined, active: undefined, group: undefined });
    focusHeading();
  };
  return (
    <span class="filter-words">
      Only {words}
      <button type="button" class="small plain link" onClick={clear}>
        Clear filters
      </button>
    </span>
  );
}
