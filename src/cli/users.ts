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
  new Option('--format <format>', 'what the file is; by default what its ending says, else ndjson').choices(
    FORMATS,
  );

export function addUsers(program: Command): void {
  const users = program
    .command('users')
    .description('import and export the users of an organization')
    .addHelpText('after', '\nExample:\n  ums users import people.csv --organization org_…');

  users
    .command('import')
    .argument('<file>', 'CSV or NDJSON; - is standard input')
    .description(
      'make users of the rows of a file, by the rules of the API; run again it goes on where it was stopped',
    )
    .requiredOption('--organization <id>', 'whose users they become')
    .addOption(format())
    .option('--update', 'a row whose email is taken changes the fields that it has; by default it is refused')
    .option('--dry-run', 'only say what would be done')
    .option('--refused <file>', 'where refused rows go; by default beside the file, as <file>.refused.ndjson')
    .option('--json', 'print a summary as JSON')
    .addHelpText(
      'after',
      `
The first line of a CSV names its columns: name, email, role, metadata (as JSON); an empty cell says nothing. A line of
NDJSON is the body of a POST. id, createdAt and updatedAt, as an export has them, are ignored. A row that is there
already, just as it stands, is unchanged. Exits 1 when a row was refused or the import failed, 130 after Ctrl-C.

Examples:
  ums users import people.csv --organization org_… --dry-run
  zcat people.ndjson.gz | ums users import - --organization org_… --update --json`,
    )
    .action(importUsers);

  users
    .command('export')
    .description('write all users, oldest first, to standard output or a file')
    .requiredOption('--organization <id>', 'whose')
    .addOption(format())
    .option('--output <file>', 'a file, which is there once it is whole')
    .option(
      '--json',
      'print a summary as JSON: to standard output, or to standard error where that has the users',
    )
    .addHelpText(
      'after',
      `
In CSV an apostrophe stands before what a spreadsheet would run as a formula; an import takes it away again.

Examples:
  ums users export --organization org_… --output people.csv
  ums users export --organization org_… | jq -r .email`,
    )
    .action(exportUsers);
}

async function importUsers(file: string, options: ImportOptions): Promise<void> {
  const { organization, update = false, dryRun = false } = options;
  const refusedFile = options.refused ?? (file === '-' ? 'refused.ndjson' : `${file}.refused.ndjson`);
  if (resolve(refusedFile) === resolve(file))
    throw new Error('--refused must be another file than the import.');
  const { readRows } = await import('./rows.js'); // nothing else needs its libraries, the service least of all
  const { source, total, bytesRead } = open(file);
  await withDatabase(async (dataSource) => {
    await requireOrganization(dataSource, organization);
    const by = systemCaller(organization, 'cli', 'ums users import');
    const rehearsal = dryRun ? new ImportRehearsal(dataSource, by, update) : undefined;
    const users = rehearsal ?? new UserImport(dataSource, by, update);
    await runImport(
      {
        rows: readRows(source, formatOf(file, options.format)),
        add: (rows) => users.add(rows),
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

/** A file, or standard input, of which nobody knows how much there is. */
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
  const { pagesOfUsers, writeUsers, writeWholeFile } = await import('./export.js');
  await withDatabase(async (dataSource) => {
    await requireOrganization(dataSource, organization);
    let users = 0;
    let stopped = false;
    const interruption = new Interruption(() => (stopped = true));
    const fill = async (to: Writable) => {
      for await (const page of writeUsers(pagesOfUsers(dataSource, organization), format, to)) {
        users += page;
        await nextTurn(); // in which a signal is heard
        if (stopped) throw new Error(`Stopped by ${interruption.signal}.`);
      }
    };
    try {
      await (output === undefined ? fill(process.stdout) : writeWholeFile(output, fill));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') return; // the reader has what it wanted
      if (stopped) process.exitCode = interruption.exitCode;
      const left = output === undefined ? `${count(users)} users were written` : `${output} was not made`;
      throw new Error(`The export is not whole: ${left}. ${(error as Error).message}`, { cause: error });
    } finally {
      interruption.end();
    }
    const summary = json
      ? JSON.stringify({ users, format, output: output ?? null })
      : `${count(users)} users.`;
    (output === undefined ? process.stderr : process.stdout).write(`${summary}\n`);
  }, LARGE_JOB);
}
