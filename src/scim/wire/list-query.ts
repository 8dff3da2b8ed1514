import { parseFilter, type Comparison } from '../filter/filter';
import { DEFAULT_RESULTS, MAX_RESULTS } from '../schema/discovery';
import type { ResourceSchema } from '../schema/resource-schema';
import { invalidValue, tooMany } from '../schema/scim-error';
import { isAbsent } from '../schema/resource';

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
