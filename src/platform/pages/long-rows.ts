import type { EntityManager } from 'typeorm';
import type { Database } from '../database/database';
import { nextTurn } from '../fairness/give-way';

/** A page ends before it would pass this many bytes. */
export const MAX_PAGE_BYTES = 1024 * 1024;

interface LongRows<Row> {
  organizationId: string;
  /** Whether a value of the row has been left out. */
  isLong: (row: Row) => boolean;
  /** Reads these whole rows, as far as they are still there. */
  read: (manager: EntityManager, ids: string[]) => Promise<Row[]>;
  bytesOf: (row: Row) => number;
  /** Whether a page of rows that are not long cannot have too many bytes. */
  isSmall?: boolean;
}

/**
 * The rows of a page with the long values that its statement has left out, as many rows as fit. Reading these values is
 * heavy work. `endsAfter` is the row that the page ends with, if it ends early.
 */
export async function wholeRows<Row extends Whole, Whole extends { id: string }>(
  database: Database,
  rows: Row[],
  { organizationId, isLong, read: readWhole, bytesOf, isSmall = true }: LongRows<Whole>,
): Promise<{ items: Whole[]; endsAfter?: Row }> {
  if (!rows.some(isLong))
    return isSmall ? { items: rows } : readInParts(rows, MAX_PAGE_BYTES, async (part) => part, bytesOf);
  const read = (manager: EntityManager) => async (part: Row[]) => {
    const ids = part.filter(isLong).map(({ id }) => id);
    const long = ids.length > 0 ? await readWhole(manager, ids) : [];
    const byId = new Map(long.map((row) => [row.id, row]));
    return part.flatMap((row): Whole[] | Whole => (isLong(row) ? (byId.get(row.id) ?? []) : row));
  };
  const work = (manager: EntityManager) => readInParts(rows, MAX_PAGE_BYTES, read(manager), bytesOf);
  return database.read(organizationId, work, 'heavy');
}

/** A part has about this many bytes, as far as the parts before tell. A larger one would keep the event loop. */
const PART_BYTES = 512 * 1024;
const FIRST_ITEMS = 5;
const MAX_ITEMS = 25;

interface Identified {
  id: string;
}

/**
 * Reads the items of a page's rows in parts, so that others have their turn in between. The page ends before its items
 * would pass `maxBytes`, at the earliest after the first one; `endsAfter` is the row of its last item if that is early:
 * the item itself may have changed since, and have another place in the list.
 */
export async function readInParts<Row extends Identified, Item extends Identified>(
  rows: readonly Row[],
  maxBytes: number,
  read: (part: Row[]) => Promise<Item[]>,
  bytesOf: (item: Item) => number,
): Promise<{ items: Item[]; endsAfter?: Row }> {
  const items: Item[] = [];
  let bytes = 0;
  let turnEnds = PART_BYTES;
  for (let i = 0, count = FIRST_ITEMS; i < rows.length; i += count, count = countFor(bytes, i)) {
    if (bytes >= turnEnds) {
      await nextTurn();
      turnEnds = bytes + PART_BYTES;
    }
    for (const item of await read(rows.slice(i, i + count))) {
      const last = items.at(-1);
      bytes += bytesOf(item);
      if (last && bytes > maxBytes) return { items, endsAfter: rows.find(({ id }) => id === last.id) };
      items.push(item);
    }
  }
  return { items };
}

/** How many items to read next, after so many rows with so many bytes. */
const countFor = (bytes: number, rows: number) =>
  Math.min(MAX_ITEMS, Math.max(1, Math.floor((PART_BYTES * rows) / Math.max(bytes, 1))));
