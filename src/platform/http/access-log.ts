import type { NextFunction, Request, Response } from 'express';
import { isId } from '../database/id';
import { isOperator, OPERATOR, refusalOf, tokenOf } from './caller';
import { requestIdOf } from './request-id';

/** The log record of a request. It has ids and the route's template, but never an address, a query or personal data. */
export interface RequestRecord {
  requestId: string;
  method: string;
  /** The template of the path; undefined if the path is unknown. */
  route?: string;
  status: number;
  /**
   * The reason for a 401, 403 or 429: `missing_token`, `invalid_token`, `invalid_client`, the missing scope,
   * `network_not_allowed`, `organization_suspended`, or `rate_limited`.
   */
  refusal?: string;
  /** Set if the caller closed the connection before the response was complete. */
  aborted?: true;
  ms: number;
  tokenId?: string;
  /** The token that this one was exchanged for. */
  parentId?: string;
  /** That of the token, or the one that the operator's request is about. */
  organizationId?: string;
}

/** The organization that the path of an operator's request names. */
function organizationIn({ params: { id } }: Request): string | undefined {
  return typeof id === 'string' && isId('org', id) ? id : undefined;
}

/** Calls `onRequest` with the record of each request when the request has ended. */
export const accessLog =
  (onRequest: (record: RequestRecord) => void) =>
  (request: Request, response: Response, next: NextFunction) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const token = tokenOf(request);
      onRequest({
        requestId: requestIdOf(request),
        method: request.method,
        route: request.route?.path,
        status: response.statusCode,
        refusal: refusalOf(request),
        // Some versions of Node report a response on a destroyed connection as finished.
        aborted: !response.writableFinished || request.socket.destroyed || undefined,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        tokenId: isOperator(request) ? OPERATOR : token?.id,
        parentId: token?.parentId ?? undefined,
        organizationId: isOperator(request) ? organizationIn(request) : token?.organizationId,
      });
    });
    next();
  };
