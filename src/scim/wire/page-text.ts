import { givingWay } from '../../http/server/give-way';
import type { ListResult } from './list-query';

/** A page ends before its resources would pass this many bytes, at the earliest after the first one. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;

/** Resources are read so many at a time, so that a page that ends early has not read much more than it shows. */
const RESOURCES_PER_STATEMENT = 25;

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
  let last: Found | undefined;
  for (let i = 0; i < rows.length; i += RESOURCES_PER_STATEMENT) {
    for (const found of await read(rows.slice(i, i + RESOURCES_PER_STATEMENT))) {
      await giveWay();
      const text = JSON.stringify(resourceOf(found));
      bytes += Buffer.byteLength(text);
      if (last && bytes > MAX_PAGE_BYTES)
        return total === undefined ? { rows: texts, nextCursor: cursorAfter(last) } : { rows: texts, total };
      texts.push(text);
      last = found;
    }
  }
  return { rows: texts, total, ...(nextCursor !== undefined && { nextCursor }) };
}
