import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { formatRows } from '../../../csv/write-csv';
import { LARGE_JOB } from '../../platform/database/data-source';
import { Database } from '../../platform/database/database';
import { pagesOf } from '../../platform/pages/paginate';
import { DirectoryAttributes } from '../../users/query/directory-attributes';
import { type Role, ROLES, type User, USER_COLUMNS, USER_FIELDS } from '../../users/user/user.entity';
import type { UserFilter } from '../../users/query/user.filter';
import { pageOfUsers } from '../../users/query/user-query';
import { serializeUser } from '../../users/user/user.serializer';
import { type Include, INCLUDES } from '../../users/query/users-query.dto';
import type { UserView } from '../../users/user/user.view';
import { cellsOf, type ExportColumn, parseColumns } from './export/columns';
import { type Format, fileFormatOf, formatOption, isTsv } from './import/format';
import { Interruption } from './interruption';
import { count, counted } from './progress';
import type { Shell } from './shell';
import { organizationOption, withOrganization } from './with-service';

const PAGE_SIZE = 1_000;

interface ExportOptions {
  organization?: string;
  format?: Format;
  columns?: ExportColumn[];
  include?: Include;
  output?: string;
  json?: boolean;
  role?: Role;
  active?: 'true' | 'false';
}

export function addExport(users: Command, shell: Shell): void {
  const command = users
    .command('export')
    .description('write users, oldest first, to standard output or a file');
  organizationOption(command, 'the organization to export')
    .addOption(new Option('--role <role>', 'only users with this role').choices(ROLES))
    .addOption(
      new Option('--active <state>', 'only active users, or only inactive ones').choices(['true', 'false']),
    )
    .addOption(formatOption())
    .option(
      '--columns <a,b>',
      'the columns of a CSV file and their order: fields, or metadata.<key>; by default all fields',
      parseColumns,
    )
    .addOption(
      new Option('--include <what>', 'directory: also what a directory has given, as JSON').choices(INCLUDES),
    )
    .option('--output <file>', 'output file; it appears only when it is complete')
    .option('--json', 'print the summary as JSON; to standard error if the users go to standard output')
    .addHelpText(
      'after',
      `
In CSV, cells that a spreadsheet would run as a formula are prefixed with an
apostrophe, which an import removes again. Have the spreadsheet split cells at
the delimiter of the file (comma, or tab for .tsv): at any other character it
could find a formula in the middle of a cell.

A column metadata.<key> has the text of this key, any other value as JSON, and
nothing for users who do not have the key.

Examples:
  ums users export --output people.csv
  ums users export --output people.csv --columns name,email,metadata.department
  ums users export --output people.ndjson --include directory
  ums users export --organization org_… --active false --output inactive.csv
  ums users export --organization org_… | jq -r .email`,
    )
    .action((options: ExportOptions) => exportUsers(options, shell));
}

async function exportUsers(
  { organization, output, json, include, columns, ...options }: ExportOptions,
  shell: Shell,
): Promise<void> {
  const filter: UserFilter = {
    role: options.role,
    active: options.active === undefined ? undefined : options.active === 'true',
  };
  const format = fileFormatOf(output ?? '', options.format);
  if (columns && format !== 'csv')
    throw new Error('--columns is for CSV files. Add --format csv, or an --output that ends in .csv.');
  if (columns?.includes('directory') && !include)
    throw new Error('The column directory requires --include directory.');
  const delimiter = isTsv(output ?? '') ? '\t' : ',';
  const command = 'ums users export';
  await withOrganization(shell, { organization, command, timeouts: LARGE_JOB }, async (app, by) => {
    let users = 0;
    const interruption = new Interruption();
    async function* pages(): AsyncGenerator<UserView[]> {
      const directory = include && app.get(DirectoryAttributes);
      for await (const page of userPages(app.get(Database), by.organizationId, filter, directory)) {
        yield page;
        users += page.length;
        await nextTurn(); // lets signals be handled
        if (interruption.signal) throw new Error(`Stopped by ${interruption.signal}.`);
      }
    }
    const texts = exportTexts(pages(), {
      format,
      delimiter,
      columns: columns ?? [...USER_FIELDS, ...(include ? [include] : [])],
    });
    try {
      await (output === undefined
        ? pipeline(texts, shell.stdout, { end: false })
        : writeAtomically(output, texts));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') return; // the reader has closed the pipe, as `| head` does
      if (interruption.signal) shell.exitCode = interruption.exitCode;
      const result =
        output === undefined ? `${count(users)} users were written` : `${output} was not created`;
      throw new Error(`The export is incomplete: ${result}. ${(error as Error).message}`, { cause: error });
    } finally {
      interruption.end();
    }
    const summary = json
      ? JSON.stringify({ users, format, output: output ?? null })
      : `${counted(users, 'user')}.`;
    (output === undefined ? shell.stderr : shell.stdout).write(`${summary}\n`);
  });
}

/** Yields the users of an organization who pass the filter in pages, oldest first. */
export async function* userPages(
  database: Database,
  organizationId: string,
  filter: UserFilter,
  directory?: DirectoryAttributes,
): AsyncGenerator<UserView[]> {
  const pages = pagesOf((cursor) => {
    const page = { sort: 'createdAt', order: 'asc', limit: PAGE_SIZE, cursor } as const;
    return database.read(organizationId, async (manager) => {
      const found = await pageOfUsers<User>(manager, { organizationId, filter }, USER_COLUMNS.select, page);
      const users = found.data.map(serializeUser);
      return { ...found, data: directory ? await directory.parsedOf(manager, organizationId, users) : users };
    });
  });
  yield* pages;
}

interface FileOptions {
  format: Format;
  delimiter: string;
  /** Of CSV. Default: all fields. */
  columns?: readonly ExportColumn[];
}

/** The text of a file with these users, page by page. */
export async function* exportTexts(
  pages: AsyncIterable<UserView[]>,
  { format, delimiter, columns = USER_FIELDS }: FileOptions,
): AsyncGenerator<string> {
  const csv = (rows: string[][]) => formatRows(rows, delimiter);
  if (format === 'csv') yield csv([[...columns]]);
  for await (const page of pages)
    yield format === 'csv' ? csv(page.map((user) => cellsOf(user, columns))) : ndjson(page);
}

const ndjson = (page: UserView[]) => page.map((user) => `${JSON.stringify(user)}\n`).join('');

/** Creates a file that appears only when it is complete. Devices and pipes are written to directly. */
async function writeAtomically(path: string, texts: AsyncIterable<string>): Promise<void> {
  const isSpecial = existsSync(path) && !statSync(path).isFile();
  const target = isSpecial ? path : `${path}.part`;
  try {
    await pipeline(texts, createWriteStream(target, { mode: 0o600, flush: !isSpecial }));
  } catch (error) {
    if (!isSpecial) rmSync(target, { force: true });
    throw error;
  }
  if (!isSpecial) renameSync(target, path);
}
