import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { USER_FIELDS, type UserFieldName, WRITABLE_NAMES } from '../../users/user.fields';
import { kindOf } from '../../users/user.kinds';
import { unescapeFormula } from '../formulas';
import { REASON } from './import-file';

export interface CsvHeader {
  /** The names of the columns as in the file, without the reason. */
  names: string[];
  /** The position of the column with the reason, which an import ignores; negative if there is none. */
  reasonAt: number;
  /** The columns that are imported, and their positions among the names. */
  columns: { name: UserFieldName; at: number; fromCell: (cell: string) => unknown }[];
  /** The text of a cell as it was before the service wrote it. */
  textOf: (cell: string) => string;
}

const HINT = `The first line must contain column names (${WRITABLE_NAMES.join(', ')}).`;

export const EMPTY_FILE = `The file is empty. ${HINT}`;

const FIELD_NAMES = new Map(
  (Object.keys(USER_FIELDS) as UserFieldName[]).map((name) => [name.toLowerCase(), name]),
);

/** The form in which the names of columns are compared. */
export const columnKey = (cell: string) => cell.trim().toLowerCase();

/** Throws if a column is missing, or is neither a field nor in `ignoreColumns`, a row of CSV. */
export function readHeader(cells: string[], ignoreColumns?: string): CsvHeader {
  const reasonAt = cells.findIndex((cell) => columnKey(cell) === REASON);
  // Only an export has an id, and only an import writes reasons. In any other file an apostrophe is the author's own.
  const isOurs = reasonAt >= 0 || cells.some((cell) => columnKey(cell) === 'id');
  const textOf = isOurs ? unescapeFormula : (cell: string) => cell;
  const names = cells.filter((_cell, at) => at !== reasonAt).map(textOf);
  while (names.at(-1)?.trim() === '') names.pop(); // spreadsheets add empty columns
  const keys = names.map(columnKey);
  const ignored = ignoreColumns === undefined ? [] : namesIn(ignoreColumns).map(columnKey);
  const imported = keys.filter((key) => !ignored.includes(key));

  if (!imported.includes('email')) {
    throw new Error(
      `The column email is missing; the first line has ${quoted(names)}. ${HINT} ` +
        'For a delimiter other than comma, semicolon or tab, use --delimiter.',
    );
  }
  const unknown = names.filter((_name, at) => imported.includes(keys[at]) && !FIELD_NAMES.has(keys[at]));
  if (unknown.length > 0) {
    throw new Error(
      `Unknown ${unknown.length > 1 ? 'columns' : 'column'}: ${quoted(unknown)}. ${HINT} ` +
        `To leave ${unknown.length > 1 ? 'them' : 'it'} out, use --ignore-columns ${argumentFor(unknown)}.`,
    );
  }
  const duplicate = imported.find((key, at) => imported.indexOf(key) < at);
  if (duplicate) throw new Error(`The column ${FIELD_NAMES.get(duplicate)} appears twice.`);
  const columns = imported.map((key) => {
    const name = FIELD_NAMES.get(key)!;
    return { name, at: keys.indexOf(key), fromCell: kindOf(USER_FIELDS[name].kind).fromCell };
  });
  return { names, reasonAt, columns, textOf };
}

function namesIn(csv: string): string[] {
  try {
    return parse(csv, { relax_quotes: true })[0] ?? [''];
  } catch {
    throw new Error('--ignore-columns must be a row of CSV, with commas.');
  }
}

function argumentFor(names: string[]): string {
  const csv = stringify([names.map((name) => name.trim())]).trimEnd();
  return csv.includes('"') ? `'${csv}'` : `"${csv}"`;
}

/** Names in quotes. Something that is not a header can be very long. */
const quoted = (names: string[]) =>
  names
    .slice(0, 10)
    .map((name) => JSON.stringify(name.trim().slice(0, 64)))
    .concat(names.length > 10 ? '…' : [])
    .join(', ');
