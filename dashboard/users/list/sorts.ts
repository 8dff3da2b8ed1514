import type { UserFilter } from '../user/user-filter.ts';

/** The orders of the list, with their displayed names. */
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

type Sorting = Pick<UserFilter, 'sort' | 'order'>;

interface SortOption extends Sorting {
  value: string;
  title: string;
}

/** The orders that a list can have: users who are filtered by a time come in its order. */
export const sortsOf = ({ time }: UserFilter): SortOption[] =>
  Object.entries(SORTS)
    .map(([value, title]) => ({ ...sortingOf(value), value, title }))
    .filter(({ sort }) => !time || sort === time.by);

export function sortingOf(value: string): Sorting {
  const [sort, order] = value.split(' ');
  return { sort, order } as Sorting;
}
