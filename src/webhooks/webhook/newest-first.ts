import type { SortColumn } from '../../pages/paginate';

/** The order of the lists of webhooks and of deliveries. */
export const NEWEST_FIRST: SortColumn[] = [
  { column: 'created_at', property: 'createdAt', type: 'time' },
  { column: 'id', property: 'id', type: 'text' },
];
