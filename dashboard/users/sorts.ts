import type { ListUsersQuery } from '../../client/index.ts';

type Sort = Pick<ListUsersQuery, 'sort' | 'order'>;

export const SORTS: Record<string, Sort> = {
  'Newest first': { sort: 'createdAt', order: 'desc' },
  'Oldest first': { sort: 'createdAt', order: 'asc' },
  'Recently changed first': { sort: 'updatedAt', order: 'desc' },
  'Name, A to Z': { sort: 'name', order: 'asc' },
  'Name, Z to A': { sort: 'name', order: 'desc' },
  'Email, A to Z': { sort: 'email', order: 'asc' },
  'Email, Z to A': { sort: 'email', order: 'desc' },
};

export const FIRST_SORT = 'Newest first';
