import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';

const REQUEST_ID = Symbol('request id');
const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

type Identified = IncomingMessage & { [REQUEST_ID]?: string };

/** The id of a request: the caller's X-Request-ID if it is well-formed, otherwise a new one. It never changes. */
export function requestIdOf(request: IncomingMessage): string {
  const identified = request as Identified;
  if (!identified[REQUEST_ID]) {
    const given = request.headers['x-request-id'];
    identified[REQUEST_ID] = typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
  }
  return identified[REQUEST_ID];
}

/** Sets the headers of every response of the service, whatever its status. */
export function setCommonHeaders(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('X-Request-ID', requestIdOf(request));
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
}

/** Sets X-Request-ID and the other common headers on the responses of routes; `sendProblem()` sets them on errors. */
@Injectable()
export class RequestIdInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const http = context.switchToHttp();
    setCommonHeaders(http.getRequest(), http.getResponse());
    return next.handle();
  }
}
