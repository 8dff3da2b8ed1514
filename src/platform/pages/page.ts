import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { IsString } from 'class-validator';
import type { Request, Response } from 'express';
import { tap } from 'rxjs';
import { pathOf } from '../http/location';
import { fault, Optional, WholeNumber } from '../http/input/checks';
import { Responses } from '../http/responses';
import type { Page } from './paginate';

/** A page of a list, besides its `data`. */
export abstract class PageView {
  /**
   * The `cursor` for the next page; null on the last page.
   * @example 'b1k9Qm2xVd7RtY0sWyIyMDI2LTAxLTMxVDA5OjMwOjAwLjAwMFoiXQ'
   */
  nextCursor: string | null;
}

/** The query parameters of every list. */
export class PageQuery {
  /**
   * The maximum number of items on the page, which ends early where it would pass 1 MB.
   * @example 100
   */
  @Optional()
  @WholeNumber(1, 200)
  limit: number = 50;

  /**
   * The `nextCursor` of the previous page, which had the same sort, order and filters. Leave it out for the first page.
   * @example 'b1k9Qm2xVd7RtY0sWyIyMDI2LTAxLTMxVDA5OjMwOjAwLjAwMFoiXQ'
   */
  @Optional()
  @IsString(fault('invalid', 'is not a valid cursor for this list'))
  cursor?: string;
}

/** Returns the page as JSON text, from rows that are serialized to text, and sets the content type. */
export function writePage<Row>(
  response: Response,
  { data, nextCursor }: Page<Row>,
  serialize: (row: Row) => string,
): string {
  response.type('json');
  return `{"data":[${data.map(serialize).join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`;
}

/** Sets the header `Link: <…>; rel="next"` if there is a next page. */
export function linkNext<Row>(request: Request, response: Response, { nextCursor }: Page<Row>): void {
  if (!nextCursor) return;
  const query = new URLSearchParams(request.url.replace(/^[^?]*/, ''));
  query.set('cursor', nextCursor);
  response.setHeader('Link', `<${pathOf(request)}?${query}>; rel="next"`);
}

class LinkNext implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<Page<unknown>>) {
    const http = context.switchToHttp();
    return next.handle().pipe(tap((page) => linkNext(http.getRequest(), http.getResponse(), page)));
  }
}

/** A route that returns a page as an object, with the header of `linkNext()`. */
export const Paged = () => applyDecorators(Responses({ headers: ['Link'] }), UseInterceptors(LinkNext));
