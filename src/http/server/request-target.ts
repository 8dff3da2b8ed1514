import type { IncomingMessage, Server } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { sendProblem } from '../problem';
import { badRequest } from './parser-refusals';

/** A path and a query. No request has a fragment. */
const ORIGIN_FORM = /^\/[^#]*$/;

const ABSOLUTE = /^https?:\/\/[^/?#@]+(?=[/?]|$)/i;

/** Replaces a target that is not a path, because Express fails on some of these before its first middleware. */
const NO_PATH = 'invalid';

/** Reduces a target in absolute form, which every server must accept (RFC 9112, section 3.2.2), to its path and query. */
export function acceptAbsoluteForm(server: Server): void {
  server.prependListener('request', (request: IncomingMessage) => {
    request.url = pathIn(request.url!);
  });
}

function pathIn(target: string): string {
  if (target === '*') return target;
  const origin = ABSOLUTE.exec(target)?.[0] ?? '';
  if (origin && !URL.canParse(origin)) return NO_PATH;
  const rest = target.slice(origin.length);
  const path = origin && !rest.startsWith('/') ? `/${rest}` : rest;
  return ORIGIN_FORM.test(path) ? path : NO_PATH;
}

/** Rejects HTTP/1.1 requests without a Host header, and requests whose target is no path. `*` is one for OPTIONS. */
export function requireTarget(request: Request, response: Response, next: NextFunction): void {
  const { url, method, headers, httpVersion } = request;
  const isPath = url.startsWith('/') || (url === '*' && method === 'OPTIONS');
  const hasHost = headers.host !== undefined || httpVersion === '1.0';
  if (isPath && hasHost) return next();
  response.setHeader('Connection', 'close');
  const detail = isPath ? 'The Host header is missing.' : 'The target of the request is not a path.';
  sendProblem(request, response, { status: 400, ...badRequest(detail) });
}
