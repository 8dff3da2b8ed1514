import { type INestApplicationContext, NotFoundException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { OrganizationsService } from '../organizations/organizations.service';
import { openDatabase } from '../database/data-source';
import { OUTDATED, pendingMigrations } from '../database/migrate';
import { type Page, pagesOf } from '../pages/paginate';
import { readConfig, serviceOptions } from '../process/config';
import { schema } from '../schema';
import { ServiceModule } from '../service.module';
import { LOGGER } from './log';

/**
 * Runs a command on the service, without HTTP and background work, on the configured database. Only the embedded
 * database is migrated first, because no other process uses it.
 */
export async function withService<Result>(
  run: (app: INestApplicationContext) => Promise<Result>,
  timeouts?: object,
): Promise<Result> {
  const config = readConfig(process.env);
  const migrate = config.databaseUrl === undefined;
  const { dataSource, close } = await openDatabase({ ...config, migrate }, schema, timeouts);
  try {
    await requireMigrated(dataSource);
    const options = { ...serviceOptions(config), ...WITHOUT_REQUESTS };
    const app = await NestFactory.createApplicationContext(ServiceModule.on(dataSource, options), {
      abortOnError: false,
      logger: LOGGER,
    });
    try {
      return await run(app);
    } finally {
      await app.close();
    }
  } finally {
    await close();
  }
}

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

/** The items of all pages of a list. */
export async function allOf<Item>(list: (cursor?: string) => Promise<Page<Item>>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const page of pagesOf(list)) all.push(...page);
  return all;
}

export async function requireMigrated(dataSource: DataSource): Promise<void> {
  const pending = await pendingMigrations(dataSource);
  if (pending.length > 0) throw new Error(OUTDATED);
}
