import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { setCommonHeaders } from '../../platform/http/request-id';

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'];

const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'X-Request-ID',
  'If-Match',
  'If-None-Match',
  'Idempotency-Key',
  'X-On-Behalf-Of',
];

const RESPONSE_HEADERS = [
  'X-Request-ID',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Token-Expires-At',
  'Retry-After',
  'Location',
  'Idempotent-Replayed',
  'Link',
  'ETag',
  'WWW-Authenticate',
];

const isPreflight = (request: Request) =>
  request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;

/**
 * Lets pages of these origins call the service and read its responses, errors included. It precedes the routes, because
 * a preflight has no token; any other OPTIONS request stays a 405.
 */
export function allowOrigins(app: NestExpressApplication, origins: string[]): void {
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (isPreflight(request)) setCommonHeaders(request, response);
    next();
  });
  const options = {
    origin: origins,
    methods: METHODS,
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: RESPONSE_HEADERS,
    maxAge: 600, // seconds; by default browsers repeat a preflight after 5
  };
  app.enableCors((request: Request, done) =>
    done(null, { ...options, preflightContinue: !isPreflight(request) }),
  );
}

/** The origin of a URL in the form in which browsers send it; undefined if the text has none. */
export function originOf(text: string): string | undefined {
  if (!URL.canParse(text) || text.includes('*')) return undefined;
  const { protocol, host } = new URL(text);
  return host === '' ? undefined : `${protocol}//${host}`;
}
