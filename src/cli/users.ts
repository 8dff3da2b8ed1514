import { createReadStream, fstatSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { LARGE_JOB } from '../database/data-source';
import { systemCaller } from '../http/caller';
import { ImportRehearsal } from '../users/import/import-rehearsal';
import { UserImport } from '../users/import/user-import';
import { type Format, FORMATS, formatOf } from './format';
import { runImport } from './import';
import { Interruption } from './interruption';
import { optimizeForSize } from '../process/v8';
import { count } from './progress';
import { requireOrganization } from './require-organization';
import { withDatabase } from './with-database';

interface Options {
  organization: string;
  format?: Format;
  json?: boolean;
}

interface ImportOptions extends Options {
  dryRun?: boolean;
  update?: boolean;
  refused?: string;
}

const format = () =>
  new Option('--format <format>', 'file format; by default from the file extension, else ndjson').choices(
    FORMATS,
  );

export function addUsers(program: Command): void {
  const users = program
    .command('users')
    .description('import and export the users of an organization')
    .addHelpText('after', '\nExample:\n  ums users import people.csv --organization org_…');

  users
    .command('import')
    .argument('<file>', 'CSV or NDJSON file; - for standard input')
    .description('create users from a CSV or NDJSON file; run it again to resume')
    .requiredOption('--organization <id>', 'the organization to import into')
    .addOption(format())
    .option(
      '--update',
      'update the user with the email of the row, if there is one; by default the row is refused',
    )
    .option('--dry-run', 'only report what the import would do')
    .option('--refused <file>', 'file for refused rows; by default <file>.refused.ndjson')
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      `
The first line of a CSV file names the columns: name, email, role, metadata (as JSON). An empty cell counts as missing.
Each line of an NDJSON file is an object as in POST /api/v1/users. id, createdAt and updatedAt, which an export contains,
are ignored. Rows are validated like requests to the API. A row that equals an existing user counts as unchanged.
With --update, a row changes only the fields that it contains. Exits with 1 if a row was refused or the import
failed, and with 130 after Ctrl-C.

Examples:
  ums users import people.csv --organization org_… --dry-run
  zcat people.ndjson.gz | ums users import - --organization org_… --update --json`,
    )
    .action(importUsers);

  users
    .command('export')
    .description('write all users, oldest first, to standard output or a file')
    .requiredOption('--organization <id>', 'the organization to export')
    .addOption(format())
    .option('--output <file>', 'output file; it appears only when it is complete')
    .option('--json', 'print the summary as JSON; to standard error if the users go to standard output')
    .addHelpText(
      'after',
      `
In CSV, cells that a spreadsheet would run as a formula are prefixed with an apostrophe; an import removes it again.

Examples:
  ums users export --organization org_… --output people.csv
  ums users export --organization org_… | jq -r .email`,
    )
    .action(exportUsers);
}

async function importUsers(file: string, options: ImportOptions): Promise<void> {
  const { organization, update = false, dryRun = false } = options;
  const refusedFile = options.refused ?? (file === '-' ? 'refused.ndjson' : `${file}.refused.ndjson`);
  if (resolve(refusedFile) === resolve(file)) throw new Error('--refused must not name the file to import.');
  const { readRows } = await import('./rows.js'); // its libraries are loaded only for an import
  const { source, total, bytesRead } = open(file);
  await withDatabase(async (dataSource) => {
    await requireOrganization(dataSource, organization);
    const by = systemCaller(organization, 'cli', 'ums users import');
    const rehearsal = dryRun ? new ImportRehearsal(dataSource, by, update) : undefined;
    const users = new UserImport(dataSource, by, update);
    await runImport(
      {
        rows: readRows(source, formatOf(file, options.format)),
        add: (rows) => (rehearsal ?? users).add(rows),
        finish: rehearsal ? undefined : () => users.finish(),
        refusedFile,
        dryRun,
        total,
        done: bytesRead,
        stop: () => source.destroy(),
      },
      options,
    );
    await rehearsal?.close();
  }, LARGE_JOB);
}

/** Opens a file or standard input; the total of standard input, a pipe or a device is unknown. */
function open(file: string): { source: Readable; total?: number; bytesRead(): number } {
  if (file === '-') return { source: process.stdin, bytesRead: () => 0 };
  const fd = openSync(file, 'r');
  const stat = fstatSync(fd);
  const source = createReadStream(file, { fd });
  return { source, total: stat.isFile() ? stat.size : undefined, bytesRead: () => source.bytesRead };
}

async function exportUsers({ output, ...options }: Options & { output?: string }): Promise<void> {
  const { organization, json } = options;
  const format = formatOf(output ?? '', options.format);
  optimizeForSize();
  const { userPages, writeUsers, writeAtomically } = await import('./export.js');
  await withDatabase(async (dataSource) => {
    await requireOrganization(dataSource, organization);
    let users = 0;
    let stopped = false;
    const interruption = new Interruption(() => (stopped = true));
    const fill = async (to: Writable) => {
      for await (const page of writeUsers(userPages(dataSource, organization), format, to)) {
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
      : `${count(users)} users.`;
    (output === undefined ? process.stderr : process.stdout).write(`${summary}\n`);
  }, LARGE_JOB);
}
