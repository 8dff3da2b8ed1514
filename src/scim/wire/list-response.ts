import { givingWay } from '../../platform/fairness/give-way';
import { readInParts } from '../../platform/pages/long-rows';
import type { Page } from '../../platform/pages/paginate';
import type { ListQuery } from './list-query';

/**
 * `totalResults` is exact up to this number. Beyond it, `totalResults` is larger than the end of the page while another
 * page follows, and exact on the last page, so a client that reads until it reaches `totalResults` reads everything.
 */
export const MAX_COUNTED = 10_000;

/** A page ends before its resources would pass this many bytes, at the earliest after the first one. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;

interface Identified {
  id: string;
}

/** How the rows of a list are read, and how they become resources. */
interface ListSource<Row, Found> {
  range(range: { offset: number; limit: number }): Promise<Row[]>;
  /** Counts up to `max + 1`. */
  count(max: number): Promise<number>;
  after(page: { cursor?: string; limit: number; of: unknown }): Promise<Page<Row>>;
  /** Called for the row of the last resource of a page by cursor that ends early. */
  cursorAfter(row: Row): string;
  /** Reads all that some of the rows show. */
  read(rows: Row[]): Promise<Found[]>;
  /** Called for one after the other: as objects, a page takes ten times the memory. */
  resourceOf(found: Found): object;
}

/** The page that the query asks for, with as many resources as fit, as the JSON of a ListResponse. */
export async function listResponse<Row extends Identified, Found extends Identified>(
  query: ListQuery,
  source: ListSource<Row, Found>,
): Promise<string> {
  const { rows, total, nextCursor } = await (query.cursor === undefined
    ? pageFrom(query, source)
    : pageAfter(query, source));
  const giveWay = givingWay();
  const textsOf = async (part: Row[]) => {
    const texts = [];
    for (const found of await source.read(part)) {
      const text = await giveWay(() => JSON.stringify(source.resourceOf(found)));
      texts.push({ id: found.id, text });
    }
    return texts;
  };
  const { items, endsAfter } = await readInParts(rows, MAX_PAGE_BYTES, textsOf, ({ text }) =>
    Buffer.byteLength(text),
  );
  const envelope = JSON.stringify({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: total,
    itemsPerPage: items.length,
    ...(query.cursor === undefined
      ? { startIndex: query.offset + 1 }
      : { nextCursor: endsAfter ? source.cursorAfter(endsAfter) : nextCursor }),
  });
  return `${envelope.slice(0, -1)},"Resources":[${items.map(({ text }) => text).join(',')}]}`;
}

/** The rows of a page; `total` is absent for a page by cursor. */
interface Rows<Row> {
  rows: Row[];
  total?: number;
  nextCursor?: string;
}

async function pageAfter<Row>(
  { cursor, count: limit, of }: ListQuery,
  { after }: Pick<ListSource<Row, unknown>, 'after'>,
): Promise<Rows<Row>> {
  const { data, nextCursor } = await after({ cursor: cursor || undefined, limit, of });
  return { rows: data, nextCursor: nextCursor ?? undefined };
}

async function pageFrom<Row>(
  { offset, count: limit }: ListQuery,
  { range, count }: Pick<ListSource<Row, unknown>, 'range' | 'count'>,
): Promise<Rows<Row>> {
  const found = await range({ offset, limit: limit + 1 }); // one more row tells whether another page follows
  const rows = found.slice(0, limit);
  if (found.length <= limit && (found.length > 0 || offset === 0))
    return { rows, total: offset + found.length };
  const total = await count(MAX_COUNTED);
  return { rows, total: total > MAX_COUNTED ? Math.max(total, offset + found.length) : total };
}
