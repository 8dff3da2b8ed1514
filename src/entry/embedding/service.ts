import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { DataSource } from 'typeorm';
import { poolOf } from '../../platform/database/connections/pool';
import { migrate } from '../../platform/database/migrate';
import { describeError } from '../../platform/database/errors';
import { accessLog, type RequestRecord } from '../../platform/http/access-log';
import { strictExpress } from '../../platform/http/strict-express';
import { ServiceModule } from '../../service.module';
import { openGuest } from './guest';
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
): Promise<NestExpressApplication> {
  const dataSource = await openGuest(host, options.schema);
  if (migrateOnStart) await migrate(dataSource);
  const app = await NestFactory.create<NestExpressApplication>(
    ServiceModule.on(dataSource, {
      ...options,
      connections: options.connections ?? Math.ceil(poolOf(host).options.max / 2),
    }),
    new ExpressAdapter(strictExpress()),
    // The body is read after the guards.
    { bodyParser: false, abortOnError: false },
  );
  if (onRequest) app.use(accessLog(safely(onRequest)));
  silenceRoutes(app);
  return app.init();
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
