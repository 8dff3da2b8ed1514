import { Inject, Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { SERVICE_OPTIONS } from '../platform/feature/options.module';
import { isBuilt, NOT_BUILT, sendFile } from '../platform/http/built-file';
import { sendProblem } from '../platform/http/problem';
import { setCommonHeaders } from '../platform/http/request-id';
import { isPagePath, PAGE_FILE, readFiles, readPage } from './dashboard.files';

/** The options that the page depends on: ways to sign in without the value of a token, and its title. */
export interface DashboardOptions {
  dashboard: boolean | object;
  oidc?: object;
  /** The name that the page shows of the service. */
  dashboardTitle?: string;
  /** Whether the service has the page `/docs`, which a host has not. */
  hasDocs?: boolean;
}

/** Sends the files of the page. It runs before the guards: the files are public, and a browser has no token yet. */
@Injectable()
export class DashboardMiddleware implements NestMiddleware {
  private readonly isBuilt = isBuilt(PAGE_FILE);
  private readonly files = readFiles();
  private readonly pageAt;

  constructor(
    @Inject(SERVICE_OPTIONS) { dashboard, oidc, dashboardTitle, hasDocs = false }: DashboardOptions,
  ) {
    this.pageAt = readPage({
      hasSignIn: typeof dashboard === 'object' || oidc !== undefined,
      hasDocs,
      title: dashboardTitle,
    });
  }

  use(request: Request, response: Response, next: NextFunction): void {
    const path = request.path.replace(/\/$/, '');
    if (!this.isBuilt && isPagePath(path))
      return sendProblem(request, response, { status: 404, detail: NOT_BUILT });
    const page = this.pageAt(path);
    const file = page ?? this.files.get(request.path);
    if (!file) return next();

    setCommonHeaders(request, response);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return sendProblem(request, response, { status: 405, detail: 'Method not allowed. Use GET or HEAD.' });
    }
    if (path === request.path) return sendFile(request, response, file);
    // Relative, because a gateway may prefix the path.
    response.set(file.headers).redirect(308, `../${path.slice(path.lastIndexOf('/') + 1)}`);
  }
}
