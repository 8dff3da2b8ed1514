import { ACTIONS, type Column } from '../../ui/table.tsx';
import type { Selection } from '../bulk/selection.ts';
import { FIRST_ORDERS, type UserFilter } from '../user/user-filter.ts';

type Sort = UserFilter['sort'];
type Order = UserFilter['order'];

/** The columns of the list of users. Search results cannot be sorted: they come best match first. */
export function columnsOf(
  { query, sort, order }: UserFilter,
  { selected, isPageSelected, setPage }: Selection,
  onSort: (sort: Sort, order: Order) => void,
): Column[] {
  const sortable = (title: string, by: Sort): Column => {
    const isSorted = query === undefined && sort === by;
    return {
      title,
      sorted: isSorted ? (order === 'asc' ? 'ascending' : 'descending') : undefined,
      onSort:
        query === undefined
          ? () => onSort(by, isSorted ? (order === 'asc' ? 'desc' : 'asc') : FIRST_ORDERS[by])
          : undefined,
    };
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
    { title: 'Select', head: box },
    sortable('Name', 'name'),
    sortable('Email', 'email'),
    'Role',
    'State',
    sortable('Created', 'createdAt'),
    sortable('Changed', 'updatedAt'),
    'ID',
    { title: 'External ID', isForWide: true },
    ACTIONS,
  ];
}

export const WIDTHS = ['34px', '17%', undefined, '82px', '90px', '96px', '96px', '130px', '12%', '44px'];
