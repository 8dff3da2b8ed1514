import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { LARGE_JOB } from '../database/data-source';
import { optimizeForSize } from '../process/v8';
import { type Format, fileFormatOf, formatOption, isTsv } from './import/format';
import { addDeletedUsers } from './deleted-users';
import { addImport } from './import/command';
import { Interruption } from './interruption';
import { count, counted } from './progress';
import { Database } from '../database/database';
import { type Role, ROLES } from '../users/user/user.entity';
import type { UserFilter } from '../users/user/user.filter';
import { withOrganization } from './with-service';

interface ExportOptions {
  organization: string;
  format?: Format;
  output?: string;
  json?: boolean;
  role?: Role;
  active?: 'true' | 'false';
}

export function usersCommand(users: Command): void {
  users.addHelpText('after', '\nExample:\n  ums users import people.csv --organization org_…');

  addImport(users);
  addDeletedUsers(users);

  users
    .command('export')
    .description('write users, oldest first, to standard output or a file')
    .requiredOption('--organization <id>', 'the organization to export')
    .addOption(new Option('--role <role>', 'only users with this role').choices(ROLES))
    .addOption(
      new Option('--active <state>', 'only active users, or only inactive ones').choices(['true', 'false']),
    )
    .addOption(formatOption())
    .option('--output <file>', 'output file; it appears only when it is complete')
    .option('--json', 'print the summary as JSON; to standard error if the users go to standard output')
    .addHelpText(
      'after',
      `
In CSV, cells that a spreadsheet would run as a formula are prefixed with an
apostrophe. An import of a file with the column id removes it again. Have the
spreadsheet split cells at the delimiter of the file (comma, or tab for .tsv): at
any other character it could find a formula in the middle of a cell.

Examples:
  ums users export --organization org_… --output people.csv
  ums users export --organization org_… --active false --output inactive.csv
  ums users export --organization org_… | jq -r .email`,
    )
    .action(exportUsers);
}

async function exportUsers({ organization, output, json, ...options }: ExportOptions): Promise<void> {
  const filter: UserFilter = {
    role: options.role,
    active: options.active === undefined ? undefined : options.active === 'true',
  };
  const format = fileFormatOf(output ?? '', options.format);
  const delimiter = isTsv(output ?? '') ? '\t' : ',';
  optimizeForSize();
  const { userPages, writeExport, writeAtomically } = await import('./export.js');
  const command = 'ums users export';
  await withOrganization({ organization, command, timeouts: LARGE_JOB }, async (app) => {
    let users = 0;
    let stopped = false;
    const interruption = new Interruption(() => (stopped = true));
    const fill = async (to: Writable) => {
      for await (const page of writeExport(
        userPages(app.get(Database), organization, filter),
        { format, delimiter },
        to,
      )) {
        users += page;
        await nextTurn(); // lets signals be handled
        if (stopped) throw new Error(`Stopped by ${interruption.signal}.`);
      }
    };
    try {
      await (output === undefined ? fill(process.stdout) : writeAtomically(output, fill));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') return; // the reader has closed the pipe, as `| head` does
      if (stopped) process.exitCode = interruption.exitCode;
      const result =
        output === undefined ? `${count(users)} users were written` : `${output} was not created`;
      throw new Error(`The export is incomplete: ${result}. ${(error as Error).message}`, { cause: error });
    } finally {
      interruption.end();
    }
    const summary = json
      ? JSON.stringify({ users, format, output: output ?? null })
      : `${counted(users, 'user')}.`;
    (output === undefined ? process.stderr : process.stdout).write(`${summary}\n`);
  });
}
