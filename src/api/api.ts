import { type CanActivate, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/internal';
import { ApplicationConfig, HttpAdapterHost, NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { GUARDS } from '../auth/token.guard';
import { accessLog } from '../http/access-log';
import { isParserError, keepParserError } from '../http/parsed-body';
import { identify, setApiHeaders } from '../http/request-id';
import { strictExpress } from '../http/strict-express';
import { OPTIONS, type ResolvedOptions } from '../options';
import { TokensService } from '../tokens/tokens.service';
import { UserSearch } from '../users/user-search';
import { UsersService } from '../users/users.service';
import { API_CONTROLLERS, ApiModule } from './api.module';

/**
 * The HTTP side of the service: an application of its own, behind the routes of the one that embeds it. So nothing global
 * reaches across: no pipe, guard, interceptor, filter or throttler of the application judges our routes, none of ours
 * judges its routes, and what it serves itself never comes here.
 */
@Injectable()
export class Api implements OnModuleInit {
  app?: NestExpressApplication;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly hostConfig: ApplicationConfig,
    @Inject(OPTIONS) private readonly options: ResolvedOptions,
    @Inject(GUARDS) private readonly guards: CanActivate[],
    private readonly users: UsersService,
    private readonly userSearch: UserSearch,
    private readonly tokens: TokensService,
  ) {}

  /** At this moment the application has all its routes, and does not answer yet what none of them took. */
  async onModuleInit(): Promise<void> {
    const type = this.host.httpAdapter?.getType();
    if (!type) return; // a worker or a command: nobody asks it by HTTP
    if (type !== 'express') throw new Error(`The service needs @nestjs/platform-express, not ${type}.`);

    this.app = await this.createApp();
    const serve = this.app.getHttpAdapter().getInstance();
    const at = `/${[this.hostConfig.getGlobalPrefix(), this.options.prefix].join('/')}`.replace(/\/+/g, '/');
    this.host.httpAdapter.use(at, (request: Request, response: Response, next: NextFunction) =>
      this.isOurs(request) ? serve(request, response, next) : next(),
    );
    // Express meets a body or a path that it cannot read before it knows whose the request is.
    this.host.httpAdapter.use(
      at,
      (error: unknown, request: Request, response: Response, next: NextFunction) => {
        if (!this.isOurs(request) || !(error instanceof URIError || isParserError(error))) return next(error);
        keepParserError(request, error);
        serve(request, response, next);
      },
    );
  }

  private async createApp(): Promise<NestExpressApplication> {
    const needed = new Map<symbol | Function, unknown>([
      [GUARDS, this.guards],
      [UsersService, this.users],
      [UserSearch, this.userSearch],
      [TokensService, this.tokens],
    ]);
    const app = await NestFactory.create<NestExpressApplication>(
      ApiModule.with(needed, this.options),
      new ExpressAdapter(strictExpress()),
      // The body is read after the guards.
      { bodyParser: false, abortOnError: false },
    );
    app.disable('x-powered-by');
    app.disable('etag'); // every answer of the API is `no-store`
    const { onRequest } = this.options;
    app.use((request: Request, response: Response, next: NextFunction) => {
      identify(request, response);
      setApiHeaders(response);
      next();
    });
    if (onRequest) app.use(accessLog(onRequest));
    return app.init();
  }

  /** Whether a path that the application does not serve is, or would be, one of ours. */
  private isOurs({ path }: Request): boolean {
    return API.test(path) || (this.options.dashboard && DASHBOARD.test(path));
  }
}

const BASES = API_CONTROLLERS.flatMap((controller): string[] =>
  Reflect.getMetadata(PATH_METADATA, controller),
);
const API = new RegExp(`^/(${BASES.join('|')})(/|$)`);
const DASHBOARD = /^\/dashboard(\/|$)/;
