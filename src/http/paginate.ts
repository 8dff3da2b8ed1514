import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { decodeCursor, encodeCursor } from './cursor';

export type Order = 'asc' | 'desc';

/** A column of a sort order: the property it belongs to, and what a cursor holds of it. */
export interface SortColumn {
  property: string;
  type: 'time' | 'text';
}

export interface PageRequest {
  /** The columns to sort by. Together they are unique, or the walk would stop between equals. */
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
 * The page of `query` that follows the cursor. Comparing rows, not columns one by one, lets PostgreSQL seek to the
 * cursor in an index on those columns.
 */
export async function paginate<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  { columns, order, limit, cursor, list }: PageRequest,
): Promise<Page<Row>> {
  const names = columns.map(({ property }) => `${query.alias}.${property}`);
  for (const name of names) query.addOrderBy(name, order === 'asc' ? 'ASC' : 'DESC');
  if (cursor !== undefined) {
    const position = decodeCursor(cursor, list, isPositionIn(columns));
    const placeholders = position.map((_value, i) => `:position${i}`);
    query.andWhere(`(${names.join(', ')}) ${order === 'asc' ? '>' : '<'} (${placeholders.join(', ')})`);
    query.setParameters(Object.fromEntries(position.map((value, i) => [`position${i}`, value])));
  }
  const rows = await query.limit(limit + 1).getMany();
  const data = rows.slice(0, limit);
  const position = (row: Row) => columns.map(({ property }) => row[property]);
  return { data, nextCursor: rows.length > limit ? encodeCursor(position(data[limit - 1]), list) : null };
}

const isPositionIn = (columns: SortColumn[]) => (values: string[]) =>
  values.length === columns.length && values.every((value, i) => columns[i].type === 'text' || isTime(value));

/** A time as JavaScript writes it, and as PostgreSQL knows it: there was no year 0. */
const isTime = (value: string) =>
  /^(?!0000)\d{4}-/.test(value) &&
  !Number.isNaN(Date.parse(value)) &&
  new Date(value).toISOString() === value;
