import { ConflictException } from '@nestjs/common';
import type { Command } from 'commander';
import { Database } from '../database/database';
import { sql } from '../database/sql';
import { type Caller, systemCaller } from '../http/caller';
import { validateOrThrow } from '../http/input/validate';
import { DeletedUser } from '../users/deleted/deleted-user.entity';
import { RestoreUserDto } from '../users/deleted/deleted-users.dto';
import { DeletedUsersService } from '../users/deleted/deleted-users.service';
import { print } from './output';
import { withService } from './with-service';

interface DeletedUserOptions {
  organization?: string;
  json?: boolean;
}

const ORGANIZATION = [
  '--organization <id>',
  'the organization of the user; without it, all organizations are searched',
] as const;

export function addDeletedUsers(users: Command): void {
  users
    .command('restore')
    .argument('<id>', 'the ID of the deleted user')
    .description('restore a deleted user')
    .option(...ORGANIZATION)
    .option('--email <address>', 'another email address, if the former one is taken by now')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  ums users restore usr_… --organization org_…')
    .action(async (id: string, { email, ...options }: DeletedUserOptions & { email?: string }) => {
      const changes = validateOrThrow(RestoreUserDto, { email });
      const run = (service: DeletedUsersService, by: Caller) =>
        service.restore(by, id, changes).catch((error: unknown) => {
          if (!(error instanceof ConflictException)) throw error;
          throw new Error(`${error.message} Give another one with --email.`, { cause: error });
        });
      print(await withDeletedUser(id, options, 'ums users restore', run), options);
    });

  users
    .command('purge')
    .argument('<id>', 'the ID of the deleted user')
    .description('erase a deleted user for good, also from the events and the search')
    .option(...ORGANIZATION)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  ums users purge usr_… --organization org_…')
    .action(async (id: string, options: DeletedUserOptions) => {
      const run = (service: DeletedUsersService, by: Caller) => service.purge(by, id);
      await withDeletedUser(id, options, 'ums users purge', run);
      print({ purged: id }, options);
    });
}

function withDeletedUser<Result>(
  id: string,
  { organization }: DeletedUserOptions,
  command: string,
  run: (service: DeletedUsersService, by: Caller) => Promise<Result>,
): Promise<Result> {
  return withService(async (app) => {
    const users = await app.get(Database).readAll<Pick<DeletedUser, 'organizationId'>>(
      sql`SELECT organization_id AS "organizationId" FROM ${DeletedUser}
            WHERE id = ${id} AND ${organization ? sql`organization_id = ${organization}` : sql`true`}`,
    );
    if (users.length === 0)
      throw new Error(
        'There is no such deleted user. GET /api/v1/deleted-users and the dashboard list those of an organization.',
      );
    return run(app.get(DeletedUsersService), systemCaller(users[0].organizationId, 'cli', command));
  });
}
