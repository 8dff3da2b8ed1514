import type { NextFunction, Request, Response } from 'express';
import type { AuthenticatedRequest } from '../auth/authenticated-request';
import { identify } from './request-id';

/** What may be told of a request: ids and the route's template, no address, no query, nothing a user has typed. */
export interface RequestRecord {
  requestId: string;
  method: string;
  /** The template of its path; undefined when the path is not known. */
  route?: string;
  status: number;
  /** Why a 401, 403 or 429: `missing_token`, `invalid_token`, the scope that the token lacks, or `rate_limited`. */
  refusal?: string;
  /** The caller went away before the answer was whole. */
  aborted?: true;
  ms: number;
  tokenId?: string;
  organizationId?: string;
}

/** Gives a request its id and its response the X-Request-ID, first of all; and passes on its record when it is over. */
export const accessLog =
  (pass: (record: RequestRecord) => void) => (request: Request, response: Response, next: NextFunction) => {
    const startedAt = performance.now();
    const requestId = identify(request, response);
    response.once('close', () => {
      const { token } = request as Partial<AuthenticatedRequest>;
      pass({
        requestId,
        method: request.method,
        route: request.route?.path,
        status: response.statusCode,
        refusal: refusalOf(response),
        aborted: !response.writableFinished || undefined,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        tokenId: token?.id,
        organizationId: token?.organizationId,
      });
    });
    next();
  };

/** What the caller was told in the headers. */
function refusalOf(response: Response): string | undefined {
  if (response.statusCode === 429) return 'rate_limited';
  if (response.statusCode !== 401 && response.statusCode !== 403) return undefined;
  const challenge = String(response.getHeader('WWW-Authenticate'));
  const scope = /scope="([^"]*)"/.exec(challenge)?.[1];
  return scope ?? /error="([^"]*)"/.exec(challenge)?.[1] ?? 'missing_token';
}
