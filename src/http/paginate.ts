import { createHash } from 'node:crypto';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { invalidInput } from './fault';

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
    const position = decodeCursor(cursor, columns, list);
    const placeholders = position.map((_value, i) => `:position${i}`);
    query.andWhere(`(${names.join(', ')}) ${order === 'asc' ? '>' : '<'} (${placeholders.join(', ')})`);
    query.setParameters(Object.fromEntries(position.map((value, i) => [`position${i}`, value])));
  }
  const rows = await query.limit(limit + 1).getMany();
  const data = rows.slice(0, limit);
  return { data, nextCursor: rows.length > limit ? encodeCursor(data[limit - 1], columns, list) : null };
}

const CHECKSUM_LENGTH = 16;

function encodeCursor(row: ObjectLiteral, columns: SortColumn[], list: unknown[]): string {
  const position = Buffer.from(JSON.stringify(columns.map(({ property }) => row[property]))).toString(
    'base64url',
  );
  return checksum(position, list) + position;
}

function decodeCursor(cursor: string, columns: SortColumn[], list: unknown[]): string[] {
  const position = cursor.slice(CHECKSUM_LENGTH);
  if (cursor.slice(0, CHECKSUM_LENGTH) === checksum(position, list)) {
    const values: unknown = parseJson(Buffer.from(position, 'base64url').toString());
    if (Array.isArray(values) && values.length === columns.length) {
      if (values.every((value, i) => isValueOf(columns[i], value))) return values;
    }
  }
  throw invalidInput([{ field: 'cursor', code: 'invalid', message: 'is not a position of this list' }]);
}

/** Not a secret: it catches a cursor that was cut, or taken from another list. */
const checksum = (position: string, list: unknown[]) =>
  createHash('sha256')
    .update(JSON.stringify([list, position]))
    .digest('base64url')
    .slice(0, CHECKSUM_LENGTH);

function isValueOf({ type }: SortColumn, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  if (type === 'time')
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) && !Number.isNaN(Date.parse(value));
  return value.isWellFormed() && !value.includes('\0');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
