import { type Sql, sql } from '../../platform/database/sql';
import { BY_CREATION, byTime, type Order, type SortColumn } from '../../platform/pages/paginate';

export type UserSort = 'name' | 'email' | 'createdAt' | 'updatedAt';

/**
 * The columns of each sort order, which are unique together after the organization and have an index, and its default
 * direction. In a SELECT, `keys` follows the fields.
 */
export const USER_SORTS: Record<UserSort, { columns: SortColumn[]; order: Order; keys: Sql }> = {
  name: {
    columns: [
      { column: 'name_key', property: 'name_key', type: 'text' },
      { column: 'name', property: 'name', type: 'text' },
      { column: 'id', property: 'id', type: 'text' },
    ],
    order: 'asc',
    keys: sql`, name_key`,
  },
  email: {
    columns: [{ column: 'email_key', property: 'email_key', type: 'text' }],
    order: 'asc',
    keys: sql`, email_key`,
  },
  createdAt: { columns: BY_CREATION, order: 'desc', keys: sql`` },
  updatedAt: { columns: byTime('updated_at', 'updatedAt'), order: 'desc', keys: sql`` },
};
