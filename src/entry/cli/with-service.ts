import { type INestApplicationContext, NotFoundException, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Command } from 'commander';
import type { DataSource } from 'typeorm';
import { OrganizationsService } from '../../organizations/organizations.service';
import { openDatabase } from '../../platform/database/data-source';
import { Database } from '../../platform/database/database';
import { OUTDATED, pendingMigrations } from '../../platform/database/migrate';
import { sql } from '../../platform/database/sql';
import { type Caller, systemCaller } from '../../platform/http/caller';
import { type Page, pagesOf } from '../../platform/pages/paginate';
import { readConfig, serviceOptions } from '../process/config';
import { schema } from '../../schema';
import { ServiceModule } from '../../service.module';
import { addSubcommand, type OutputOptions, print } from './output';
import type { Shell } from './shell';

/**
 * Runs a command on the service, without HTTP and background work, on the configured database. Only the embedded
 * database is migrated first, because no other process uses it.
 */
export async function withService<Result>(
  { env }: Shell,
  run: (app: INestApplicationContext) => Promise<Result>,
  timeouts?: object,
): Promise<Result> {
  const config = readConfig(env);
  const migrate = config.databaseUrl === undefined;
  const { dataSource, close } = await openDatabase({ ...config, migrate }, schema, timeouts);
  try {
    await requireMigrated(dataSource);
    const options = { ...serviceOptions(config), ...WITHOUT_REQUESTS };
    const app = await NestFactory.createApplicationContext(ServiceModule.on(dataSource, options), {
      abortOnError: false,
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

type Run<Result> = (app: INestApplicationContext, by: Caller) => Promise<Result>;

/** Adds `--organization`, which may be absent where there is only one. */
export const organizationOption = (command: Command, description: string): Command =>
  command.option('--organization <id>', `${description}; by default the only one that there is`);

/** Runs a command in an organization, by default the only one. Throws if it does not exist, or if there are several. */
export const withOrganization = <Result>(
  shell: Shell,
  { organization, command, timeouts }: { organization?: string; command: string; timeouts?: object },
  run: Run<Result>,
) =>
  withService(
    shell,
    async (app) => {
      const organizations = app.get(OrganizationsService);
      const id = organization ?? (await onlyOrganization(organizations));
      await organizations.get(id).catch((error: unknown) => {
        if (!(error instanceof NotFoundException)) throw error;
        throw new Error('There is no such organization. List them with: ums organizations list');
      });
      return run(app, systemCaller(id, 'cli', command));
    },
    timeouts,
  );

async function onlyOrganization(organizations: OrganizationsService): Promise<string> {
  const { data } = await organizations.page({ limit: 2 });
  if (data.length === 0)
    throw new Error('There is no organization. Create one with: ums organizations create <name>');
  if (data.length > 1)
    throw new Error(
      'There are several organizations. Name one with --organization <id>, and list them with: ums organizations list',
    );
  return data[0].id;
}

/** Runs a command on a row of any organization, or only of this one. Throws `missing` if there is no such row. */
export const withRow = <Result>(
  shell: Shell,
  { entity, id, organization, missing, command }: RowOptions,
  run: Run<Result>,
) =>
  withService(shell, async (app) => {
    const [row] = await app.get(Database).readAll<{ organizationId: string }>(
      sql`SELECT organization_id AS "organizationId" FROM ${entity}
          WHERE id = ${id} AND ${organization ? sql`organization_id = ${organization}` : sql`true`}`,
    );
    if (!row) throw new Error(missing);
    return run(app, systemCaller(row.organizationId, 'cli', command));
  });

interface RowOptions {
  entity: Type<{ id: string; organizationId: string }>;
  id: string;
  organization?: string;
  missing: string;
  command: string;
}

/**
 * Adds the subcommand `list`, which prints all items of an organization, these columns `first`, and an example of it to
 * `parent`.
 */
export function addList(
  shell: Shell,
  parent: Command,
  description: string,
  list: (app: INestApplicationContext, by: Caller, page: object) => Promise<Page<object>>,
  ...first: string[]
): void {
  const items = parent.name();
  const example = '--organization org_…';
  parent.addHelpText('after', `\nExample:\n  ums ${items} list ${example}`);
  const subcommand = addSubcommand(parent, 'list', description, example);
  organizationOption(subcommand, `the organization that the ${items} belong to`).action(
    async ({ organization, ...output }: OutputOptions & { organization?: string }) => {
      const all: object[] = [];
      await withOrganization(shell, { organization, command: `ums ${items} list` }, async (app, by) => {
        for await (const page of pagesOf((cursor) => list(app, by, { limit: 200, cursor })))
          all.push(...page);
      });
      print(shell, all, output, ...first);
    },
  );
}

export async function requireMigrated(dataSource: DataSource): Promise<void> {
  const pending = await pendingMigrations(dataSource);
  if (pending.length > 0) throw new Error(OUTDATED);
}
