import type { EntityManager } from 'typeorm';
import { join, query, raw, type Sql, sql } from '../database/sql';
import { decodeCursor, encodeCursor } from './cursor';
import type { TimeRange } from './range';

export type Order = 'asc' | 'desc';

/** A column of a sort order, its property in the row, and the type of its value in a cursor. */
export interface SortColumn {
  column: string;
  property: string;
  type: 'time' | 'text';
}

/** The columns of a list in the order of a time. */
export const byTime = (column: string, property: string): SortColumn[] => [
  { column, property, type: 'time' },
  { column: 'id', property: 'id', type: 'text' },
];

export const BY_CREATION = byTime('created_at', 'createdAt');

export interface PageRequest {
  /** The sort columns. Together they must be unique, or paging would skip rows. A time may be a Date or text. */
  columns: SortColumn[];
  order: Order;
  cursor?: string;
  /** Of the first sort column, which must be a time. */
  range?: TimeRange;
  /** Identifies the list: its organization, sort, order and filters. A cursor of another list is refused. */
  list: unknown[];
  /**
   * A SELECT with a WHERE and without an ORDER BY. Its rows have the properties of the sort columns. Or a function that
   * builds the whole statement from the condition after its WHERE, and the order and limit after that.
   */
  select: Sql | ((seek: Sql, ordered: Sql) => Sql);
  limit: number;
}

/** The request of a list by creation, newest first. `list` has its name and filters. */
export const newestFirst = (
  select: Sql,
  { limit, cursor }: { limit: number; cursor?: string },
  list: unknown[],
): PageRequest => ({ select, columns: BY_CREATION, order: 'desc', limit, cursor, list });

export interface Page<Row> {
  data: Row[];
  nextCursor: string | null;
}

/**
 * Returns the page after the cursor. A row comparison, unlike one comparison per column, lets PostgreSQL seek to the
 * cursor in an index on those columns. Rows are returned as the driver reads them: creating entities of a page
 * would cost more than its query.
 */
export async function paginate<Row extends object>(
  manager: EntityManager,
  request: PageRequest,
): Promise<Page<Row>> {
  const { select, columns, order, limit, list } = request;
  const seek = seekOf(request);
  const ordered = sql`${orderBy(columns, order)} LIMIT ${opaque(limit + 1)}`;
  const statement = typeof select === 'function' ? select(seek, ordered) : sql`${select} ${seek} ${ordered}`;
  const rows = await query<Row>(manager, statement);
  const data = rows.slice(0, limit);
  if (rows.length <= limit) return { data, nextCursor: null };
  return { data, nextCursor: cursorAfter(data[limit - 1], { columns, list }) };
}

/**
 * The condition, with its AND, on the rows of the range after the cursor. Of the cursor and the range's start it has
 * only the later one, which implies the other. Given both, PostgreSQL seeks to one of them, depending on its version,
 * and reads all entries of the index from there to the other.
 */
function seekOf({ columns, order, cursor, range: { since, until } = {}, list }: PageRequest): Sql {
  const isAscending = order === 'asc';
  const time = raw(columns[0].column);
  const fromSince = since ? sql`AND ${time} >= ${since}` : sql``;
  const beforeUntil = until ? sql`AND ${time} < ${until}` : sql``;
  const [start, end] = isAscending ? [fromSince, beforeUntil] : [beforeUntil, fromSince];
  if (cursor === undefined) return sql`${start} ${end}`;
  const after = decodeCursor(cursor, list, isPositionIn(columns));
  if (isAscending ? since && after[0] < since : until && after[0] >= until) return sql`${start} ${end}`;
  const names = raw(columns.map(({ column }) => column).join(', '));
  return sql`AND (${names}) ${raw(isAscending ? '>' : '<')} (${join(after)}) ${end}`;
}

export const orderBy = (columns: SortColumn[], order: Order): Sql =>
  sql`ORDER BY ${raw(columns.map(({ column }) => `${column} ${order}`).join(', '))}`;

/** The cursor of the page after a row. */
export function cursorAfter(row: object, { columns, list }: Pick<PageRequest, 'columns' | 'list'>): string {
  const last = row as Record<string, string | Date>;
  return encodeCursor(
    columns.map(({ property, type }) => (type === 'time' ? new Date(last[property]) : last[property])),
    list,
  );
}

/** The pages of a whole list, one after the other. */
export async function* pagesOf<Item>(list: (cursor?: string) => Promise<Page<Item>>): AsyncGenerator<Item[]> {
  let cursor: string | undefined;
  do {
    const { data, nextCursor } = await list(cursor);
    if (data.length > 0) yield data;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/**
 * A limit that the planner cannot read, so it plans for a tenth of the rows that it expects. It knows nothing of how
 * many rows an organization has, and if it expected fewer than the page has, it might read and sort all of them.
 */
export const opaque = (limit: number): Sql => raw(`(SELECT ${limit})`);

const isPositionIn = (columns: SortColumn[]) => (values: string[]) =>
  values.length === columns.length && values.every((value, i) => columns[i].type === 'text' || isIso(value));

/** Whether this is a time in the format of toISOString(). PostgreSQL has no year 0. */
const isIso = (value: string) =>
  /^(?!0000)\d{4}-/.test(value) &&
  !Number.isNaN(Date.parse(value)) &&
  new Date(value).toISOString() === value;
