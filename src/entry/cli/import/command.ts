import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { LARGE_JOB } from '../../../platform/database/data-source';
import { BatchService } from '../../../users/batch/batch.service';
import { type Format, fileFormatOf, formatOption, isTsv } from './format';
import type { Shell } from '../shell';
import { organizationOption, withOrganization } from '../with-service';
import { type ImportIdentity, parseMapping } from './columns';
import { type CsvOptions, readCsv } from './csv-file';
import { HELP } from './help';
import type { ImportFile } from './import-file';
import { openInput } from './input';
import { readNdjson } from './ndjson-file';
import { requireWritable } from './refused-rows';
import { runImport } from './run-import';

const MODES = ['create', 'upsert'] as const;

interface ImportOptions extends CsvOptions {
  organization?: string;
  format?: Format;
  json?: boolean;
  dryRun?: boolean;
  mode: (typeof MODES)[number];
  refused?: string;
}

export function addImport(users: Command, shell: Shell): void {
  const command = users
    .command('import')
    .argument('<file>', 'CSV or NDJSON file; - for standard input')
    .description('create users from a CSV or NDJSON file');
  organizationOption(command, 'the organization to import into')
    .addOption(formatOption())
    .option(
      '--delimiter <character>',
      'delimiter of the CSV file, or "tab"; by default a comma, semicolon or tab, as in its header',
      parseDelimiter,
    )
    .option(
      '--map <column=field>',
      'what a column of the CSV file becomes: a field, metadata.<key>, or nothing; may be repeated',
      parseMapping,
    )
    .option('--ignore-columns <a,b>', 'columns of the CSV file to leave out')
    .addOption(
      new Option(
        '--mode <mode>',
        'what to do with a row whose email a user has: create refuses it, upsert updates the user',
      )
        .choices(MODES)
        .default('create'),
    )
    .option(
      '--by <field>',
      'what identifies the users of --mode upsert: email, or external-id, with which emails may change (default: email)',
      parseBy,
    )
    .option('--dry-run', 'only report what the import would do')
    .option(
      '--refused <file>',
      'file for refused rows, replaced if it exists; by default <file>.refused with the extension of the format, or refused.<format> for a pipe',
    )
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', HELP)
    .action((path: string, options: ImportOptions) => importUsers(path, options, shell));
}

async function importUsers(path: string, options: ImportOptions, shell: Shell): Promise<void> {
  const { organization, mode, by: identity, dryRun = false } = options;
  if (identity && mode !== 'upsert') throw new Error('--by is for --mode upsert.');
  const format = fileFormatOf(path, options.format);
  const { source, total, bytesRead } = openInput(path, shell.stdin);
  const refusedFile =
    options.refused ?? (total === undefined ? `refused.${format}` : refusedFileOf(path, format));
  if (resolve(refusedFile) === resolve(path)) throw new Error('--refused must not name the file to import.');
  requireWritable(refusedFile);
  const file = readerOf(source, path, format, options);
  const command = 'ums users import';
  await withOrganization(shell, { organization, command, timeouts: LARGE_JOB }, async (app, by) => {
    const batch = { mode, by: identity, atomic: false, dryRun };
    await runImport(
      shell,
      {
        file,
        add: async (users) => {
          const merge = mode === 'upsert' && file.hasMetadataKeys?.();
          return (await app.get(BatchService).run(by, { users, ...batch, merge })).answer;
        },
        refusedFile,
        dryRun,
        total,
        done: bytesRead,
        stop: () => source.destroy(),
      },
      options,
    );
  });
}

function readerOf(
  source: Readable,
  path: string,
  format: Format,
  { by, delimiter, map, ignoreColumns }: ImportOptions,
): ImportFile {
  if (format === 'csv')
    return readCsv(source, {
      by,
      delimiter: delimiter ?? (isTsv(path) ? '\t' : undefined),
      map,
      ignoreColumns,
    });
  if ((delimiter ?? map ?? ignoreColumns) !== undefined)
    throw new Error(
      '--delimiter, --map and --ignore-columns are for CSV files. If this is one, add --format csv.',
    );
  return readNdjson(source);
}

/** `people.refused.csv` for `people.csv`. */
function refusedFileOf(path: string, format: Format): string {
  const extension = format === 'csv' && isTsv(path) ? 'tsv' : format;
  return `${path.replace(/\.(csv|tsv|ndjson)$/i, '')}.refused.${extension}`;
}

function parseBy(text: string): ImportIdentity {
  if (text === 'email') return text;
  if (text === 'external-id') return 'externalId';
  throw new InvalidArgumentError('It must be email or external-id.');
}

function parseDelimiter(text: string): string {
  if (['tab', '\\t', '\t'].includes(text)) return '\t';
  if (!/^[^\p{L}\p{N}\s"']$/u.test(text))
    throw new InvalidArgumentError(
      'It must be one character that is not a letter, digit or quote, or "tab".',
    );
  return text;
}
