import type { RequestHandler } from 'express';
import { sendFile } from '../platform/http/built-file';
import { setCommonHeaders } from '../platform/http/request-id';
import { readFiles } from './dashboard.files';

/**
 * Answers what a browser requests of a bare address: `/` leads to the dashboard, and `/favicon.ico` is its icon.
 * Programs get the 404 of any other path at `/`. Only for the standalone service, because these paths belong to a host.
 */
export function browserPaths(): RequestHandler {
  const file = [...readFiles()].find(([path]) => path.endsWith('.svg'))?.[1];
  const icon = file && { ...file, headers: { ...file.headers, 'Cache-Control': 'public, max-age=86400' } };
  return (request, response, next) => {
    const isRoot = request.path === '/';
    if (!isRoot && (request.path !== '/favicon.ico' || !icon)) return next();
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    if (isRoot) {
      response.vary('Accept');
      if (request.accepts(['json', 'html']) !== 'html') return next();
    }
    setCommonHeaders(request, response);
    if (isRoot) return response.redirect(303, 'dashboard'); // relative, because a gateway may prefix the path
    sendFile(request, response, icon!);
  };
}
