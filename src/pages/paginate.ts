import type { DataSource } from 'typeorm';
import { retryBroken } from '../database/retry';
import { decodeCursor, encodeCursor } from './cursor';

export type Order = 'asc' | 'desc';

/** A column of a sort order: what it is called in the row, and what a cursor holds of it. */
export interface SortColumn {
  column: string;
  property: string;
  type: 'time' | 'text';
}

export interface PageRequest {
  /** The rows of the list, with a WHERE and without an order; their properties are named as the sort columns name them. */
  select: string;
  /** The values of its placeholders. */
  values: unknown[];
  /** The columns to sort by; of a time the row has a Date, or its text. Together they are unique, or the walk would stop between equals. */
  columns: SortColumn[];
  order: Order;
  limit: number;
  cursor?: string;
  /** What makes this list this list: its tenant, sort, order and filters. A cursor of another list is refused. */
  list: unknown[];
}

export interface Page<Row> {
  data: Row[];
  nextCursor: string | null;
}

/**
 * The page of the list that follows the cursor. Comparing rows, not columns one by one, lets PostgreSQL seek to the cursor
 * in an index on those columns. The rows come as the driver reads them: making entities of a page takes longer than all
 * the rest of the request.
 */
export async function paginate<Row extends object>(
  dataSource: DataSource,
  { select, values, columns, order, limit, cursor, list }: PageRequest,
): Promise<Page<Row>> {
  const names = columns.map(({ column }) => column);
  const after = cursor === undefined ? [] : decodeCursor(cursor, list, isPositionIn(columns));
  const placeholders = after.map((_value, i) => `$${values.length + i + 1}`);
  const seek =
    after.length > 0
      ? `AND (${names.join(', ')}) ${order === 'asc' ? '>' : '<'} (${placeholders.join(', ')})`
      : '';
  const page = `${select} ${seek} ORDER BY ${names.map((name) => `${name} ${order}`).join(', ')} LIMIT ${limit + 1}`;
  const rows: Row[] = await retryBroken(() => dataSource.query(page, [...values, ...after]));
  const data = rows.slice(0, limit);
  if (rows.length <= limit) return { data, nextCursor: null };
  const last = data[limit - 1] as Record<string, string | Date>;
  return {
    data,
    nextCursor: encodeCursor(
      columns.map(({ property, type }) => (type === 'time' ? new Date(last[property]) : last[property])),
      list,
    ),
  };
}

const isPositionIn = (columns: SortColumn[]) => (values: string[]) =>
  values.length === columns.length && values.every((value, i) => columns[i].type === 'text' || isTime(value));

/** A time as JavaScript writes it, and as PostgreSQL knows it: there was no year 0. */
const isTime = (value: string) =>
  /^(?!0000)\d{4}-/.test(value) &&
  !Number.isNaN(Date.parse(value)) &&
  new Date(value).toISOString() === value;
