import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { map } from 'rxjs';
import { Check, Optional, WholeNumber } from './checks';
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

/** A page of which the rows are JSON already. */
class WrittenPage {
  constructor(
    readonly rows: string[],
    readonly nextCursor: string | null,
  ) {}
}

/** A page with its rows as they go out, where they are written already. To a controller it is what a caller reads of it. */
export const writtenPage = <View>({ data, nextCursor }: Page<string>): View =>
  new WrittenPage(data, nextCursor) as View;

/** Adds `Link: <…>; rel="next"` to a page that has a next one, and makes a text of rows that are written already. */
@Injectable()
export class PageInterceptor implements NestInterceptor<{ nextCursor: string | null }> {
  intercept(context: ExecutionContext, next: CallHandler<{ nextCursor: string | null }>) {
    const http = context.switchToHttp();
    return next.handle().pipe(
      map((page) => {
        const response = http.getResponse<Response>();
        if (page.nextCursor) {
          const next = new URL(http.getRequest<Request>().originalUrl, 'http://localhost');
          next.searchParams.set('cursor', page.nextCursor);
          response.setHeader('Link', `<${next.pathname}${next.search}>; rel="next"`);
        }
        if (!(page instanceof WrittenPage)) return page;
        response.type('json');
        return `{"data":[${page.rows.join(',')}],"nextCursor":${JSON.stringify(page.nextCursor)}}`;
      }),
    );
  }
}
