import { ACTIONS, type Column } from '../../ui/table.tsx';
import type { Selection } from '../bulk/selection.ts';
import { COLUMNS } from '../user/fields.tsx';
import { FIRST_ORDERS, type UserFilter } from '../user/user-filter.ts';

type Sort = UserFilter['sort'];
type Order = UserFilter['order'];

const isSort = (name: string): name is Sort => name in FIRST_ORDERS;

/** The columns of the list of users. Search results cannot be sorted: they come best match first. */
export function columnsOf(
  { query, sort, order }: UserFilter,
  { selected, isPageSelected, setPage }: Selection,
  onSort: (sort: Sort, order: Order) => void,
): Column[] {
  const sortingBy = (by: Sort): Pick<Column, 'sorted' | 'onSort'> => {
    if (query !== undefined) return {};
    if (sort !== by) return { onSort: () => onSort(by, FIRST_ORDERS[by]) };
    return order === 'asc'
      ? { sorted: 'ascending', onSort: () => onSort(by, 'desc') }
      : { sorted: 'descending', onSort: () => onSort(by, 'asc') };
  };
  const box = (
    <input
      type="checkbox"
      aria-label="Select all users on this page"
      checked={isPageSelected}
      indeterminate={selected.size > 0 && !isPageSelected}
      onClick={(event) => setPage(event.currentTarget.checked)}
    />
  );
  return [
    { title: 'Select', head: box, width: '34px' },
    ...COLUMNS.map(({ name, title, width, class: className }) => ({
      title,
      width,
      class: className,
      ...(isSort(name) && sortingBy(name)),
    })),
    { ...ACTIONS, width: '44px' },
  ];
}
