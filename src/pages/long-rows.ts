import type { EntityManager } from 'typeorm';
import type { Database } from '../database/database';
import { query, type Sql } from '../database/sql';
import { readInParts } from './in-parts';

/** A page ends before it would pass this many bytes. */
const MAX_PAGE_BYTES = 1024 * 1024;

interface LongRows<Row> {
  organizationId: string;
  /** Whether a value of the row has been left out. */
  isLong: (row: Row) => boolean;
  /** A SELECT of these whole rows, as far as they are still there. */
  select: (ids: string[]) => Sql;
  bytesOf: (row: Row) => number;
}

/**
 * The rows of a page with the long values that its statement has left out, as many rows as fit. Reading these values is
 * heavy work. `endsAfter` is the row that the page ends with, if it ends early.
 */
export async function wholeRows<Row extends Whole, Whole extends { id: string }>(
  database: Database,
  rows: Row[],
  { organizationId, isLong, select, bytesOf }: LongRows<Whole>,
): Promise<{ items: Whole[]; endsAfter?: Row }> {
  if (!rows.some(isLong)) return { items: rows };
  const read = (manager: EntityManager) => async (part: Row[]) => {
    const ids = part.filter(isLong).map(({ id }) => id);
    const long = ids.length > 0 ? await query<Whole>(manager, select(ids)) : [];
    const byId = new Map(long.map((row) => [row.id, row]));
    return part.flatMap((row): Whole[] | Whole => (isLong(row) ? (byId.get(row.id) ?? []) : row));
  };
  const work = (manager: EntityManager) => readInParts(rows, MAX_PAGE_BYTES, read(manager), bytesOf);
  return database.read(organizationId, work, 'heavy');
}
