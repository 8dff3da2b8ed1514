import { columnKey } from '../../../csv/csv-file';
import { formatRows } from '../../../csv/write-csv';
import type { KeyField } from '../../users/batch/batch-rules';
import { USER_FIELDS, WRITABLE_FIELDS } from '../../users/user/user.entity';
import type { UserView } from '../../users/user/user.view';

const HINT = `The first line must contain column names (${WRITABLE_FIELDS.join(', ')}).`;

const FIELD_NAMES = new Map(USER_FIELDS.map((name) => [name.toLowerCase(), name]));

/** The columns that a file may have, in lower case. */
export const KNOWN_COLUMNS = [...FIELD_NAMES.keys()];

/** The field of each column; undefined if it is left out. Throws if one is missing, or unknown and not in `ignored`. */
export function fieldsOfColumns(
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
