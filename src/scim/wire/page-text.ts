import { givingWay } from '../../fairness/give-way';
import { readInParts } from '../../pages/long-rows';
import type { ListResult } from './list-query';

/** A page ends before its resources would pass this many bytes, at the earliest after the first one. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;

interface Identified {
  id: string;
}

/** How the rows of a page become resources. */
interface Resources<Row, Found> {
  /** Reads all that some of the rows show. */
  read: (rows: Row[]) => Promise<Found[]>;
  /** Called for one after the other: as objects, a page takes ten times the memory. */
  resourceOf: (found: Found) => object;
  /** Called for the row of the last resource of a page by cursor that ends early. */
  cursorAfter: (row: Row) => string;
}

/** The page with each resource as JSON, as many as fit. */
export async function pageAsText<Row extends Identified, Found extends Identified>(
  { rows, total, nextCursor }: ListResult<Row>,
  { read, resourceOf, cursorAfter }: Resources<Row, Found>,
): Promise<ListResult<string>> {
  const giveWay = givingWay();
  const textsOf = async (part: Row[]) => {
    const texts = [];
    for (const found of await read(part)) {
      const text = await giveWay(() => JSON.stringify(resourceOf(found)));
      texts.push({ id: found.id, text });
    }
    return texts;
  };
  const { items, endsAfter } = await readInParts(rows, MAX_PAGE_BYTES, textsOf, ({ text }) =>
    Buffer.byteLength(text),
  );
  const texts = items.map(({ text }) => text);
  if (total !== undefined) return { rows: texts, total };
  const next = endsAfter ? cursorAfter(endsAfter) : nextCursor;
  return { rows: texts, ...(next !== undefined && { nextCursor: next }) };
}
