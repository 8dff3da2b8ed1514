import type { Page } from '../../pages/paginate';
import { parseFilter, type Comparison } from '../filter/filter';
import { DEFAULT_RESULTS, MAX_RESULTS } from '../schema/discovery';
import type { ResourceSchema } from '../schema/resource-schema';
import { invalidValue, tooMany } from '../schema/scim-error';
import { isAbsent } from '../schema/values';

/** A page of a list or a `.search`, by position or by the cursor of RFC 9865. */
export interface ListQuery {
  comparisons: Comparison[];
  /** Identifies the filter in a cursor, which is valid only with the same one. */
  of: unknown;
  count: number;
  /** The number of resources before the page. */
  offset: number;
  /** The cursor; empty for the first page, undefined for a page by position. */
  cursor?: string;
}

/** A page by position reads all resources before it, so positions beyond this one need a cursor. */
const MAX_OFFSET = 1_000_000;

/** Reads the parameters of a query string, or of the body of a `.search`. Unknown ones are ignored. */
export function listQueryOf(schema: ResourceSchema, given: Record<string, unknown>): ListQuery {
  const filter = textOf(given, 'filter') ?? '';
  const cursor = textOf(given, 'cursor');
  const startIndex = numberOf(given, 'startIndex');
  const count = Math.min(Math.max(numberOf(given, 'count') ?? DEFAULT_RESULTS, 0), MAX_RESULTS);
  if (cursor !== undefined && startIndex !== undefined)
    throw invalidValue('cursor and startIndex exclude each other');
  if (cursor !== undefined && count === 0) throw invalidValue('count must be at least 1 with a cursor');
  const offset = Math.max(startIndex ?? 1, 1) - 1;
  if (offset > MAX_OFFSET)
    throw tooMany(`startIndex must be at most ${MAX_OFFSET + 1}. Use cursor beyond that`);
  return {
    comparisons: filter === '' ? [] : parseFilter(schema, filter),
    of: ['scim', filter],
    count,
    offset,
    ...(cursor !== undefined && { cursor }),
  };
}

function textOf(given: Record<string, unknown>, name: string): string | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalidValue(`${name} must be a single string`);
  return value;
}

function numberOf(given: Record<string, unknown>, name: string): number | undefined {
  const value = given[name];
  if (isAbsent(value)) return undefined;
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number))
    throw invalidValue(`${name} must be a whole number`);
  return number;
}

/** A page of a list. */
export interface ListResult<Row> {
  rows: Row[];
  /** Absent for a page by cursor. */
  total?: number;
  /** The cursor of the next page, if there is one. */
  nextCursor?: string;
}

/**
 * `totalResults` is exact up to this number. Beyond it, `totalResults` is larger than the end of the page while another
 * page follows, and exact on the last page, so a client that reads until it reaches `totalResults` reads everything.
 */
export const MAX_COUNTED = 10_000;

/** The ways to read a page. `count` counts up to `max + 1`. */
interface Reads<Row> {
  range(range: { offset: number; limit: number }): Promise<Row[]>;
  count(max: number): Promise<number>;
  after(page: { cursor?: string; limit: number; of: unknown }): Promise<Page<Row>>;
}

/** Reads the page that the query asks for. */
export async function pageFor<Row>(query: ListQuery, reads: Reads<Row>): Promise<ListResult<Row>> {
  const { offset, count: limit, cursor, of } = query;
  if (cursor !== undefined) {
    const { data, nextCursor } = await reads.after({ cursor: cursor || undefined, limit, of });
    return { rows: data, ...(nextCursor !== null && { nextCursor }) };
  }
  const found = await reads.range({ offset, limit: limit + 1 }); // one more row tells whether another page follows
  const rows = found.slice(0, limit);
  if (found.length <= limit && (found.length > 0 || offset === 0))
    return { rows, total: offset + found.length };
  const total = await reads.count(MAX_COUNTED);
  return { rows, total: total > MAX_COUNTED ? Math.max(total, offset + found.length) : total };
}

/** A page of resources, each of which is JSON, as a ListResponse. */
export function listResponse(
  { offset, cursor }: ListQuery,
  { rows, total, nextCursor }: ListResult<string>,
): string {
  const envelope = JSON.stringify({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: total,
    itemsPerPage: rows.length,
    ...(cursor === undefined ? { startIndex: offset + 1 } : { nextCursor }),
  });
  return `${envelope.slice(0, -1)},"Resources":[${rows.join(',')}]}`;
}
