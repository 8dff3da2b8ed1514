import type { NextFunction, Request, Response } from 'express';
import { invalidValue } from '../schema/scim-error';

/** The paths at which SCIM is served. */
export const ROOTS = ['scim/v2', 'api/scim/v2'] as const;

/** A name of 253 characters and a port. A page repeats it twenty thousand times. */
const MAX_HOST = 259;

/**
 * The absolute URL of the root of SCIM as the caller sees it: through the proxies that `TRUST_PROXY` names, with every
 * prefix at which a host has mounted the service.
 */
export function baseOf({ protocol, host = 'localhost', baseUrl, path }: Request): string {
  if (host.length > MAX_HOST) throw invalidValue('The Host header is too long');
  const root = ROOTS.find((candidate) => path.startsWith(`/${candidate}/`))!;
  return `${protocol}://${host}${baseUrl}/${root}`;
}

const LIST_WITH_SLASH = new RegExp(`^/(?:${ROOTS.join('|')})/(?:Users|Groups)(?=/(?:[?]|$))`);

/** Accepts `/Users/` for `/Users`, because directories append a slash. The rest of the API matches paths literally. */
export function ignoreTrailingSlash(request: Request, _response: Response, next: NextFunction): void {
  const [path] = LIST_WITH_SLASH.exec(request.url) ?? [];
  if (path !== undefined) request.url = path + request.url.slice(path.length + 1);
  next();
}
