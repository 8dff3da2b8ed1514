import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { AuthenticatedRequest } from '../auth/authenticated-request';
import { identify } from './request-id';

/**
 * Gives a request its id and its response the X-Request-ID, first of all; and logs one line when it is over, with ids and
 * the route's template: no address, no query, nothing a user has typed.
 */
export const accessLog = (log: Logger) => (request: Request, response: Response, next: NextFunction) => {
  const startedAt = performance.now();
  const requestId = identify(request, response);
  response.once('close', () => {
    const { token } = request as Partial<AuthenticatedRequest>;
    log.info({
      requestId,
      method: request.method,
      route: request.route?.path,
      status: response.statusCode,
      aborted: !response.writableFinished || undefined,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      tokenId: token?.id,
      organizationId: token?.organizationId,
    });
  });
  next();
};
