import { ConflictException } from '@nestjs/common';
import type { Command } from 'commander';
import { validateOrThrow } from '../../platform/http/input/validate';
import { DeletedUser } from '../../users/deleted/deleted-user.entity';
import { RestoreUserDto } from '../../users/deleted/deleted-users.dto';
import { DeletedUsersService } from '../../users/deleted/deleted-users.service';
import { addDelete } from './delete/command';
import { addExport } from './export';
import { addImport } from './import/command';
import { addSubcommand, type OutputOptions, print } from './output';
import type { Shell } from './shell';
import { withRow } from './with-service';

type Options = OutputOptions & { organization?: string };

const DELETED_USER = {
  entity: DeletedUser,
  missing:
    'There is no such deleted user. GET /api/v1/deleted-users and the dashboard list those of an organization.',
};

const ORGANIZATION = [
  '--organization <id>',
  'the organization of the user; without it, all organizations are searched',
] as const;

export function usersCommand(users: Command, shell: Shell): void {
  users.addHelpText('after', '\nExample:\n  ums users import people.csv --organization org_…');
  addImport(users, shell);
  addExport(users, shell);
  addDelete(users, shell);

  addSubcommand(users, 'restore', 'restore a deleted user', 'usr_… --organization org_…')
    .argument('<id>', 'the ID of the deleted user')
    .option(...ORGANIZATION)
    .option('--email <address>', 'another email address, if the former one is taken by now')
    .action(async (id: string, { email, organization, ...output }: Options & { email?: string }) => {
      const changes = validateOrThrow(RestoreUserDto, { email });
      const row = { ...DELETED_USER, id, organization, command: 'ums users restore' };
      const restored = await withRow(shell, row, (app, by) =>
        app
          .get(DeletedUsersService)
          .restore(by, id, changes)
          .catch((error: unknown) => {
            if (!(error instanceof ConflictException)) throw error;
            throw new Error(`${error.message} Give another one with --email.`, { cause: error });
          }),
      );
      print(shell, restored, output);
    });

  addSubcommand(
    users,
    'purge',
    'erase a deleted user for good, also from the events and the search',
    'usr_… --organization org_…',
  )
    .argument('<id>', 'the ID of the deleted user')
    .option(...ORGANIZATION)
    .action(async (id: string, { organization, ...output }: Options) => {
      const row = { ...DELETED_USER, id, organization, command: 'ums users purge' };
      await withRow(shell, row, (app, by) => app.get(DeletedUsersService).purge(by, id));
      print(shell, { purged: id }, output);
    });
}
