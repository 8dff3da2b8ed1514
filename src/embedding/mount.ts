import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/internal';
import { ApplicationConfig, DiscoveryService, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { NextFunction, Request, Response } from 'express';
import type { DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions';
import { DATABASE } from '../database/data-source';
import { isParserError, keepParserError } from '../http/input/parsed-body';
import { controllersOf } from '../service.module';
import { type Instance, INSTANCE, OPTIONS, type ResolvedOptions } from './options';
import { SERVICE } from './service';

/** Mounts the service after the routes of the host, so that the host's own routes take precedence. */
@Injectable()
export class Mount implements OnModuleInit, BeforeApplicationShutdown {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly hostConfig: ApplicationConfig,
    @Inject(OPTIONS) private readonly options: ResolvedOptions,
    @Inject(SERVICE) readonly service: NestExpressApplication,
    @Inject(INSTANCE) private readonly instance: Instance,
    private readonly modules: ModulesContainer,
  ) {}

  /** Runs when the host's routes are registered, but its 404 handler is not. */
  async onModuleInit(): Promise<void> {
    await this.refuseSharing();
    const type = this.host.httpAdapter?.getType();
    if (!type) return; // a worker or a command serves no HTTP
    if (type !== 'express') throw new Error(`The service requires @nestjs/platform-express, not ${type}.`);

    const at = `/${[this.hostConfig.getGlobalPrefix(), this.options.prefix].join('/')}`.replace(/\/+/g, '/');
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
  }

  /** Runs while the host's connections are still open. Requests that arrive later are served, and counted in PostgreSQL. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.service.close();
  }

  /** Several of these modules in one application must not share what each believes to be its own. */
  private async refuseSharing(): Promise<void> {
    const mounts = [...this.modules.values()].flatMap(
      ({ providers }) => providers.get(Mount)?.instance ?? [],
    ) as Mount[];
    for (const other of mounts) {
      if (other === this) continue;
      const shared =
        (other.instance.name === this.instance.name && 'name, or none') ||
        (other.options.prefix.toLowerCase() === this.options.prefix.toLowerCase() && 'prefix') ||
        ((await other.tables()) === (await this.tables()) && 'schema');
      if (shared) {
        await Promise.all(mounts.map(({ service }) => service.close())); // a host that does not start is not shut down
        throw new Error(
          `Two UserManagementModules of this application have the same ${shared}. Give each a name, a prefix and a schema of its own: forRoot({ name: 'partners', prefix: 'partners', schema: 'partners' }).`,
        );
      }
    }
  }

  /** Tells where the tables are, whatever names the application has for that place. */
  private async tables(): Promise<string> {
    const dataSource = this.service.get<DataSource>(getDataSourceToken(DATABASE));
    const { schema } = dataSource.options as PostgresDataSourceOptions;
    const [{ place }] = await dataSource.query(
      `SELECT json_build_array(pg_postmaster_start_time(), current_database(), coalesce($1, current_schema()))::text AS place`,
      [schema],
    );
    return place;
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
