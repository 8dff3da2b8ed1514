import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { sendProblem } from '../http/problem';
import { setCommonHeaders } from '../http/request-id';
import { readPage } from './dashboard.files';

/** Sends the files of the page. It runs before the guards: the files are public, and a browser has no token yet. */
@Injectable()
export class DashboardMiddleware implements NestMiddleware {
  private readonly page = readPage();

  use(request: Request, response: Response, next: NextFunction): void {
    // The links in the page are relative to it. So is this redirect, because a gateway may prefix the path.
    const hasTrailingSlash = request.path === '/dashboard/';
    const file = this.page.get(hasTrailingSlash ? '/dashboard' : request.path);
    if (!file) return next();

    setCommonHeaders(request, response);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return sendProblem(request, response, { status: 405, detail: 'Method not allowed. Use GET or HEAD.' });
    }
    response.set(file.headers);
    if (hasTrailingSlash) response.redirect(308, '../dashboard');
    else response.send(file.content);
  }
}
