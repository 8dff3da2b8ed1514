import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/internal';
import { ApplicationConfig, DiscoveryService, HttpAdapterHost } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { isParserError, keepParserError } from '../../platform/http/input/parsed-body';
import { controllersOf } from '../../service.module';
import { OPTIONS, type HostSettings } from './options';
import { log, SERVICE } from './service';

/** Mounts the service after the routes of the host, so that the host's own routes take precedence. */
@Injectable()
export class Mount implements OnModuleInit, BeforeApplicationShutdown {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly hostConfig: ApplicationConfig,
    @Inject(OPTIONS) private readonly options: HostSettings,
    @Inject(SERVICE) readonly service: NestExpressApplication,
  ) {}

  /** Runs when the host's routes are registered, but its 404 handler is not. */
  onModuleInit(): void {
    const type = this.host.httpAdapter?.getType();
    if (!type) return; // a worker or a command serves no HTTP
    if (type !== 'express') throw new Error(`The service requires @nestjs/platform-express, not ${type}.`);

    const prefixes = [this.hostConfig.getGlobalPrefix(), this.options.prefix];
    const at = `/${prefixes.flatMap((prefix) => prefix.split('/').filter(Boolean)).join('/')}`;
    const isOurs = this.paths();
    const express = this.service.getHttpAdapter().getInstance();
    express.set('trust proxy', this.host.httpAdapter.getInstance().get('trust proxy'));
    const serve = (request: Request, response: Response, next: NextFunction) => {
      request.route = undefined; // a middleware of the host may have set one
      express(request, response, next);
    };
    this.host.httpAdapter.use(at, (request: Request, response: Response, next: NextFunction) =>
      isOurs.test(request.path) ? serve(request, response, next) : next(),
    );
    // Express fails on an unreadable body or path before it finds out which application the request is for.
    this.host.httpAdapter.use(
      at,
      (error: unknown, request: Request, response: Response, next: NextFunction) => {
        const isReadError = error instanceof URIError || isParserError(error);
        if (!isReadError || !isOurs.test(request.path)) return next(error);
        keepParserError(request, error);
        serve(request, response, next);
      },
    );
    log(`User Management Service mounted at ${at}`);
  }

  /** Runs while the host's connections are open. Requests that arrive later are served, and counted in PostgreSQL. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.service.close();
  }

  /** Matches all paths below those of the service's controllers, including paths without a route. */
  private paths(): RegExp {
    const controllers = controllersOf(this.service.get(DiscoveryService));
    const bases = controllers.flatMap((controller): string[] =>
      Reflect.getMetadata(PATH_METADATA, controller),
    );
    if (this.options.dashboard) bases.push('dashboard');
    return new RegExp(`^/(${bases.join('|')})(/|$)`);
  }
}
