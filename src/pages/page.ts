import type { Request, Response } from 'express';
import { Check, Optional, WholeNumber } from '../http/input/checks';
import type { Page } from './paginate';

/** The parameters that every list takes. */
export class PageQuery {
  /** How many to return, from 1 to 200. */
  @Optional()
  @WholeNumber(1, 200)
  limit: number = 50;

  /** Where to go on: the `nextCursor` of the page before. */
  @Optional()
  @Check((value) =>
    typeof value === 'string' ? [] : [{ code: 'invalid', message: 'is not a position of this list' }],
  )
  cursor?: string;
}

/** A page with its rows as they go out. */
export const serializePage = <Row, Shown>(
  { data, nextCursor }: Page<Row>,
  serialize: (row: Row) => Shown,
) => ({
  data: data.map(serialize),
  nextCursor,
});

/** The same with rows that go out as JSON already: the text of the page, which to a caller is the page. */
export function writePage<Row, View>(
  response: Response,
  { data, nextCursor }: Page<Row>,
  serialize: (row: Row) => string,
): View {
  response.type('json');
  return `{"data":[${data.map(serialize).join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}` as View;
}

/** Names the page after this one, if there is one, in `Link: <…>; rel="next"`. */
export function linkNext<Row>({ originalUrl }: Request, response: Response, { nextCursor }: Page<Row>): void {
  if (!nextCursor) return;
  const next = new URL(originalUrl, 'http://localhost');
  next.searchParams.set('cursor', nextCursor);
  response.setHeader('Link', `<${next.pathname}${next.search}>; rel="next"`);
}
