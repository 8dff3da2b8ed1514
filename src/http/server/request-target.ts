import type { IncomingMessage, Server } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { sendProblem } from '../problem';
import { malformedRequest } from './parser-refusals';

/** A path and a query, without a fragment; `*` is for OPTIONS. */
const TARGET = /^(\/[^#]*|\*)$/;

/** Replaces a target that is not a path, because Express fails on some of these before its first middleware. */
export function replaceStrangeTargets(server: Server): void {
  server.prependListener('request', (request: IncomingMessage) => {
    if (!TARGET.test(request.url!)) request.url = 'invalid';
  });
}

/** Rejects HTTP/1.1 requests without a Host header, and requests whose target is no path. */
export function requireTarget(request: Request, response: Response, next: NextFunction): void {
  const { url, method, headers, httpVersion } = request;
  const isPath = url.startsWith('/') || (url === '*' && method === 'OPTIONS');
  const hasHost = headers.host !== undefined || httpVersion === '1.0';
  if (isPath && hasHost) return next();
  response.setHeader('Connection', 'close');
  const detail = isPath ? 'The Host header is missing.' : 'The target of the request is not a path.';
  sendProblem(request, response, { status: 400, ...malformedRequest(detail) });
}
