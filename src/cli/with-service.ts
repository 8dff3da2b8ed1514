import { type INestApplicationContext, NotFoundException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OrganizationsService } from '../auth/organizations.service';
import { readConfig, serviceOptions } from '../process/config';
import { ServiceModule } from '../service.module';
import { LOGGER } from './log';
import { withDatabase } from './with-database';

/** Runs a command on the service, without HTTP and background work, on the configured database. */
export const withService = <Result>(
  run: (app: INestApplicationContext) => Promise<Result>,
  timeouts?: object,
): Promise<Result> =>
  withDatabase(async (dataSource) => {
    const options = { ...serviceOptions(readConfig(process.env)), ...WITHOUT_REQUESTS };
    const app = await NestFactory.createApplicationContext(ServiceModule.on(dataSource, options), {
      abortOnError: false,
      logger: LOGGER,
    });
    try {
      return await run(app);
    } finally {
      await app.close();
    }
  }, timeouts);

const WITHOUT_REQUESTS = { background: false, dashboard: false, rateLimitStorage: 'memory' } as const;

/** Throws if the organization does not exist. */
export async function requireOrganization(app: INestApplicationContext, id: string): Promise<void> {
  await app
    .get(OrganizationsService)
    .get(id)
    .catch((error: unknown) => {
      if (!(error instanceof NotFoundException)) throw error;
      throw new Error('There is no such organization. List them with: ums organizations list');
    });
}
