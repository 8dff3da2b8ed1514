import type { NextFunction, Request, Response } from 'express';
import { refusalOf, tokenOf } from './caller';
import { requestIdOf } from './request-id';

/** What is logged of a request: ids and the route's template. No address, no query, nothing that a user typed. */
export interface RequestRecord {
  requestId: string;
  method: string;
  /** The template of its path; undefined when the path is unknown. */
  route?: string;
  status: number;
  /** The reason for a 401, 403 or 429: `missing_token`, `invalid_token`, the missing scope, or `rate_limited`. */
  refusal?: string;
  /** The caller closed the connection before the response was complete. */
  aborted?: true;
  ms: number;
  tokenId?: string;
  organizationId?: string;
}

/** Passes on a record of each request when it is over. */
export const accessLog =
  (pass: (record: RequestRecord) => void) => (request: Request, response: Response, next: NextFunction) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const token = tokenOf(request);
      pass({
        requestId: requestIdOf(request),
        method: request.method,
        route: request.route?.path,
        status: response.statusCode,
        refusal: refusalOf(request),
        aborted: !response.writableFinished || undefined,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        tokenId: token?.id,
        organizationId: token?.organizationId,
      });
    });
    next();
  };
