import { givingWay } from '../../http/server/give-way';
import type { ListResult } from './list-query';

/** A page ends before its resources would pass this many bytes, at the earliest after the first one. */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024;

/** A page with room for more resources takes the share for heavy work. */
export const FEW_RESOURCES = 20;

/**
 * The page with each resource as JSON, made one by one: as objects, they would take ten times the memory. `lists` are
 * the groups or members of the rows, as JSON; a row without one does not fit. `cursorAfter` is called for the last row
 * of a page by cursor that ends early.
 */
export async function pageAsText<Row extends { id: string }, Element>(
  page: ListResult<Row>,
  lists: ReadonlyMap<string, string> | undefined,
  resourceOf: (row: Row, list?: Element[]) => object,
  cursorAfter: (row: Row) => string,
): Promise<ListResult<string>> {
  const listed = lists ? page.rows.filter(({ id }) => lists.has(id)) : page.rows;
  const rows = await textsOf(listed, (row) => {
    const list = lists && (JSON.parse(lists.get(row.id)!) as Element[]);
    return JSON.stringify(resourceOf(row, list));
  });
  if (rows.length === page.rows.length) return { ...page, rows };
  const { total } = page;
  return total === undefined ? { rows, nextCursor: cursorAfter(listed[rows.length - 1]) } : { rows, total };
}

/** The texts of the rows, as many as fit on a page. */
async function textsOf<Row>(rows: readonly Row[], textOf: (row: Row) => string): Promise<string[]> {
  const texts: string[] = [];
  const giveWay = givingWay();
  let bytes = 0;
  for (const row of rows) {
    const text = textOf(row);
    bytes += Buffer.byteLength(text);
    if (texts.length > 0 && bytes > MAX_PAGE_BYTES) break;
    texts.push(text);
    await giveWay();
  }
  return texts;
}
