import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { poolOf } from '../../platform/database/connections/pool';
import { migrate } from '../../platform/database/migrate';
import { describeError } from '../../platform/database/errors';
import { accessLog, type RequestRecord } from '../../platform/http/access-log';
import { strictExpress } from '../../platform/http/strict-express';
import { ServiceModule } from '../../service.module';
import { openGuest } from './guest';
import type { HostMetrics } from './metrics';
import type { HostSettings } from './options';

/** The injection token of the service's own application. */
export const SERVICE = Symbol('user management service');

/**
 * Creates the service as a Nest application of its own on the host's connections. The global guards, pipes,
 * interceptors and filters of one application do not apply to the routes of the other.
 */
export async function openService(
  host: DataSource,
  { migrate: migrateOnStart, onRequest, ...options }: HostSettings,
  hostMetrics: HostMetrics,
): Promise<NestExpressApplication> {
  const dataSource = await openGuest(host, options.schema);
  const migrated = migrateOnStart
    ? describeMigrations(await migrate(dataSource))
    : 'not migrated at this start';
  const { schema } = dataSource.driver as PostgresDriver;
  const background = options.background ? 'on' : 'off';
  log(`Schema ${schema}: ${migrated}. Background work: ${background}.`);
  const app = await NestFactory.create<NestExpressApplication>(
    ServiceModule.on(dataSource, {
      ...options,
      connections: options.connections ?? Math.ceil(poolOf(host).options.max / 2),
    }),
    new ExpressAdapter(strictExpress()),
    // The body is read after the guards.
    { bodyParser: false, abortOnError: false },
  );
  const { metrics } = hostMetrics;
  if (metrics) app.use(accessLog((record) => metrics.count(record)));
  if (onRequest) app.use(accessLog(safely(onRequest)));
  silenceRoutes(app);
  await app.init();
  hostMetrics.register(app);
  return app;
}

/** Logs what an operator wants to know of a start. */
export const log = (text: string) => new Logger('UserManagementModule').log(text);

/** The names of many are those of a new schema, which nobody wants to read. */
const MAX_NAMES = 5;

function describeMigrations(names: string[]): string {
  if (names.length === 0) return 'up to date';
  const listed = names.length > MAX_NAMES ? [names[0], '…', names.at(-1)] : names;
  return `${names.length} ${names.length === 1 ? 'migration' : 'migrations'} ran (${listed.join(', ')})`;
}

/**
 * Nest logs each route as it registers it, here without the path at which the host mounts the service: these lines
 * would name routes that do not exist. `Mount` logs that path. Nest has one logger for the process and no option that
 * leaves these lines out, so the loggers of the router are replaced; warnings and errors stay.
 */
function silenceRoutes(app: NestExpressApplication): void {
  const { routesResolver: resolver } = app as unknown as { routesResolver?: { routerExplorer?: object } };
  for (const router of [resolver, resolver?.routerExplorer]) {
    const logger = Object.assign(new Logger(router?.constructor.name ?? ''), { log: () => {} });
    if (router) Object.assign(router, { logger });
  }
}

/** What the host's callback throws, or its promise rejects with, would end the host's process. */
const safely = (onRequest: (record: RequestRecord) => unknown) => (record: RequestRecord) => {
  const call = async () => onRequest(record);
  call().catch((error: unknown) => {
    new Logger('onRequest').error({ requestId: record.requestId, error: describeError(error) });
  });
};
