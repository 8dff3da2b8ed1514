import type { Readable } from 'node:stream';
import { columnKey, CsvFile } from '../../../../csv/csv-file';
import { parseRow } from '../../../../csv/csv-rows';
import { valuesOf } from '../../../../csv/values';
import { formatRows } from '../../../../csv/write-csv';
import type { KeyField } from '../../../users/batch/batch-rules';
import { USER_FIELDS, WRITABLE_FIELDS } from '../../../users/user/user.entity';
import type { UserView } from '../../../users/user/user.view';
import { type ImportFile, type ImportRow, rowFault } from './import-file';

const HINT = `The first line must contain column names (${WRITABLE_FIELDS.join(', ')}).`;

const FIELD_NAMES = new Map(USER_FIELDS.map((name) => [name.toLowerCase(), name]));

/** The columns that a file may have, in lower case. */
const KNOWN_COLUMNS = [...FIELD_NAMES.keys()];

export interface CsvOptions {
  /** Default: detected from the header. */
  delimiter?: string;
  /** The names of columns to leave out, as a row of CSV. */
  ignoreColumns?: string;
  /** The column that a file must have. Default: email. */
  by?: KeyField;
}

/** Reads the rows of a CSV file, and writes refused ones in the same form. */
export function readCsv(source: Readable, { delimiter, ignoreColumns, by }: CsvOptions = {}): ImportFile {
  let file: CsvFile;
  async function* rows(): AsyncGenerator<ImportRow> {
    file = await CsvFile.open(source, { known: KNOWN_COLUMNS, delimiter });
    const ignored = ignoreColumns === undefined ? [] : namesIn(ignoreColumns);
    const fields = fieldsOfColumns(file.header, ignored, by);
    for await (const row of file.rows) {
      const { values, fault } = valuesOf(row, fields);
      yield {
        line: row.line,
        bytes: row.cells.reduce((sum, cell) => sum + cell.length, 0),
        input: values,
        faults: fault && [
          fault.field === 'row' ? rowFault('invalid', fault.message) : { ...fault, code: 'invalid' },
        ],
        refused: (reason) => file.refusedRow(row, reason),
      };
    }
  }
  return { rows: rows(), refusedHeader: () => file.refusedHeader() };
}

function namesIn(csv: string): string[] {
  const names = parseRow(csv);
  if (!names) throw new Error('--ignore-columns must be a row of CSV, with commas.');
  return names;
}

/** The field of each column; undefined if it is left out. Throws if one is missing, or unknown and not in `ignored`. */
function fieldsOfColumns(
  names: string[],
  ignored: readonly string[],
  required: KeyField = 'email',
): (keyof UserView | undefined)[] {
  const isIgnored = ignored.map(columnKey);
  const keys = names.map(columnKey);
  const imported = keys.filter((key) => !isIgnored.includes(key));
  if (!imported.includes(columnKey(required))) {
    throw new Error(
      `The column ${required} is missing; the first line has ${quotedNames(names)}. ${HINT} ` +
        'For a delimiter other than comma, semicolon or tab, use --delimiter.',
    );
  }
  const unknown = names.filter((_name, at) => imported.includes(keys[at]) && !FIELD_NAMES.has(keys[at]));
  if (unknown.length > 0) {
    throw new Error(
      `Unknown ${unknown.length > 1 ? 'columns' : 'column'}: ${quotedNames(unknown)}. ${HINT} ` +
        `To leave ${unknown.length > 1 ? 'them' : 'it'} out, use --ignore-columns ${argumentFor(unknown)}.`,
    );
  }
  const duplicate = imported.find((key, at) => imported.indexOf(key) < at);
  if (duplicate) throw new Error(`The column ${FIELD_NAMES.get(duplicate)} appears twice.`);
  return keys.map((key) => (isIgnored.includes(key) ? undefined : FIELD_NAMES.get(key)));
}

function argumentFor(names: string[]): string {
  const csv = formatRows([names.map((name) => name.trim())], ',').trimEnd();
  return csv.includes('"') ? `'${csv}'` : `"${csv}"`;
}

/** Names in quotes. Something that is not a header can be very long. */
const quotedNames = (names: string[]) =>
  names
    .slice(0, 10)
    .map((name) => JSON.stringify(name.trim().slice(0, 64)))
    .concat(names.length > 10 ? '…' : [])
    .join(', ');
