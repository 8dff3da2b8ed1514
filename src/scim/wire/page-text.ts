import { givingWay, nextTurn } from '../../http/server/give-way';
import type { ListResult } from './list-query';

/** A page ends before its resources would pass this many bytes, at the earliest after the first one. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;

/**
 * A statement reads resources of about this size, as far as those before tell. A larger result would keep the event
 * loop while it is decoded, and might be read in vain. After as many bytes, others have their turn.
 */
const BYTES_PER_TURN = 512 * 1024;
const FIRST_RESOURCES = 5;
const MAX_RESOURCES = 25;

/** How the rows of a page become resources. */
interface Resources<Row, Found> {
  /** Reads all that some of the rows show. */
  read: (rows: Row[]) => Promise<Found[]>;
  /** Called for one after the other: as objects, a page takes ten times the memory. */
  resourceOf: (found: Found) => object;
  /** Called for the last resource of a page by cursor that ends early. */
  cursorAfter: (found: Found) => string;
}

/** The page with each resource as JSON, as many as fit. */
export async function pageAsText<Row, Found>(
  { rows, total, nextCursor }: ListResult<Row>,
  { read, resourceOf, cursorAfter }: Resources<Row, Found>,
): Promise<ListResult<string>> {
  const giveWay = givingWay();
  const texts: string[] = [];
  let bytes = 0;
  let turnEnds = BYTES_PER_TURN;
  let last: Found | undefined;
  for (let i = 0, count = FIRST_RESOURCES; i < rows.length; i += count, count = countFor(bytes, i)) {
    if (bytes >= turnEnds) {
      await nextTurn();
      turnEnds = bytes + BYTES_PER_TURN;
    }
    for (const found of await read(rows.slice(i, i + count))) {
      const text = await giveWay(() => JSON.stringify(resourceOf(found)));
      bytes += Buffer.byteLength(text);
      if (last && bytes > MAX_PAGE_BYTES)
        return total === undefined ? { rows: texts, nextCursor: cursorAfter(last) } : { rows: texts, total };
      texts.push(text);
      last = found;
    }
  }
  return { rows: texts, total, ...(nextCursor !== undefined && { nextCursor }) };
}

/** How many resources to read next, after so many with so many bytes. */
const countFor = (bytes: number, resources: number) =>
  Math.min(MAX_RESOURCES, Math.max(1, Math.floor((BYTES_PER_TURN * resources) / bytes)));
