import type { User } from '../../../client/index.ts';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { ACTIONS, type Column } from '../../ui/table.tsx';
import { moveInBoxes, type Selection } from '../bulk/selection.ts';
import { FIRST_ORDERS, type UserFilter } from '../user/user-filter.ts';
import type { Offer } from './offers.tsx';
import { sortsOf } from './sorts.ts';

type Sort = UserFilter['sort'];
type Order = UserFilter['order'];

interface Props {
  offers: Offer[];
  filter: UserFilter;
  selection: Selection;
  onSort(sort: Sort, order: Order): void;
  actionsOf(user: User): MenuItem[];
}

/** In pixels. The others share what is left. */
const WIDTHS: Record<string, number> = { role: 84, externalId: 120, id: 136, createdAt: 104, updatedAt: 104 };
const BOX = 42;
const MENU = 44;

/** The columns of the list of users. */
export function columnsOf({ offers, filter, selection, onSort, actionsOf }: Props): Column<User>[] {
  const shown = offers.filter(({ isShown }) => isShown);
  const hasOneDate = shown.filter(({ name }) => name.endsWith('At')).length === 1;
  const widths = widthsOf(shown);
  return [
    boxes(selection),
    ...shown.map(({ name, isShown: _, ...column }) => ({
      ...column,
      width: widths[name],
      ...(hasOneDate && name.endsWith('At')
        ? dateSorting(column.title, filter, onSort)
        : isSort(name) && sorting(name, filter, onSort)),
    })),
    {
      ...ACTIONS,
      width: `${MENU}px`,
      value: (user) => <Menu label={`Actions for ${user.name}`} items={actionsOf(user)} />,
    },
  ];
}

/** The email takes what the others leave, which is more than any of them has. */
function widthsOf(shown: Offer[]): Record<string, string | undefined> {
  const free = shown.filter(({ name }) => !WIDTHS[name]);
  const fixed = shown.reduce((sum, { name }) => sum + (WIDTHS[name] ?? 0), BOX + MENU);
  const share = Math.max(100 - fixed / 10, 40) / (free.length * 2 + 3); // in a table of about 1,000 pixels
  const widthOf = (name: string) => {
    if (WIDTHS[name]) return `${WIDTHS[name]}px`;
    if (name === 'email') return undefined;
    return `${name === 'name' ? Math.min(share * 3, 26) : share * 2}%`;
  };
  return Object.fromEntries(shown.map(({ name }) => [name, widthOf(name)]));
}

const isSort = (name: string): name is Sort => name in FIRST_ORDERS;

const DIRECTIONS = { asc: 'ascending', desc: 'descending' } as const;

/** Search results cannot be sorted: they come best match first. */
function sorting(
  by: Sort,
  filter: UserFilter,
  onSort: Props['onSort'],
): Pick<Column<User>, 'sorted' | 'onSort'> {
  if (filter.query !== undefined || (filter.time && filter.time.by !== by)) return {};
  if (filter.sort !== by) return { onSort: () => onSort(by, FIRST_ORDERS[by]) };
  const next = filter.order === 'asc' ? 'desc' : 'asc';
  return { sorted: DIRECTIONS[filter.order], onSort: () => onSort(by, next) };
}

/** The head of the only date, which offers the orders of both. */
function dateSorting(
  title: string,
  filter: UserFilter,
  onSort: Props['onSort'],
): Pick<Column<User>, 'sorted' | 'head'> {
  if (filter.query !== undefined) return {};
  const items = sortsOf(filter)
    .filter(({ sort }) => sort.endsWith('At'))
    .map(({ title, sort, order }) => ({
      title,
      kind: 'radio' as const,
      checked: sort === filter.sort && order === filter.order,
      onChoose: () => onSort(sort, order),
    }));
  return {
    head: <Menu label={`Order by ${title.toLowerCase()}`} text={title} items={items} />,
    sorted: filter.sort.endsWith('At') ? DIRECTIONS[filter.order] : undefined,
  };
}

function boxes({ selected, isPageSelected, setPage, toggle }: Selection): Column<User> {
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
  return { title: 'Select', head: allBoxes, width: `${BOX}px`, class: 'box', value: boxOf };
}
