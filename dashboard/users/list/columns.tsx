import type { User } from '../../../client/index.ts';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { ACTIONS, type Column } from '../../ui/table.tsx';
import { moveInBoxes, type Selection } from '../bulk/selection.ts';
import { COLUMNS } from '../user/fields.tsx';
import { FIRST_ORDERS, type UserFilter } from '../user/user-filter.ts';

type Sort = UserFilter['sort'];
type Order = UserFilter['order'];

const isSort = (name: string): name is Sort => name in FIRST_ORDERS;

/** The columns of the list of users. Search results cannot be sorted: they come best match first. */
export function columnsOf(
  { query, sort, order }: UserFilter,
  { selected, isPageSelected, setPage, toggle }: Selection,
  onSort: (sort: Sort, order: Order) => void,
  actionsOf: (user: User) => MenuItem[],
): Column<User>[] {
  const sortingBy = (by: Sort): Pick<Column<User>, 'sorted' | 'onSort'> => {
    if (query !== undefined) return {};
    if (sort !== by) return { onSort: () => onSort(by, FIRST_ORDERS[by]) };
    return order === 'asc'
      ? { sorted: 'ascending', onSort: () => onSort(by, 'desc') }
      : { sorted: 'descending', onSort: () => onSort(by, 'asc') };
  };
  const allBoxes = (
    <input
      type="checkbox"
      aria-label="Select all users on this page"
      checked={isPageSelected}
      indeterminate={selected.size > 0 && !isPageSelected}
      onClick={(event) => setPage(event.currentTarget.checked)}
    />
  );
  const boxOf = (user: User) => (
    <input
      type="checkbox"
      aria-label={`Select ${user.name}`}
      checked={selected.has(user.id)}
      onKeyDown={moveInBoxes}
      onClick={(event) => toggle(user, event.currentTarget.checked, event.shiftKey)}
    />
  );
  return [
    { title: 'Select', head: allBoxes, width: '34px', class: 'box', value: boxOf },
    ...COLUMNS.map(({ name, ...column }) => ({ ...column, ...(isSort(name) && sortingBy(name)) })),
    {
      ...ACTIONS,
      width: '44px',
      value: (user) => <Menu label={`Actions for ${user.name}`} items={actionsOf(user)} />,
    },
  ];
}
