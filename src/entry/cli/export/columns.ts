import { InvalidArgumentError } from 'commander';
import { columnKey } from '../../../../csv/csv-file';
import { parseRow } from '../../../../csv/csv-rows';
import { keyFault, keyInName, keyOfTarget, metadataTarget } from '../../../../csv/targets';
import { USER_FIELDS } from '../../../users/user/user.entity';
import { INCLUDES, type Include } from '../../../users/query/users-query.dto';
import type { UserView } from '../../../users/user/user.view';

type FieldName = (typeof USER_FIELDS)[number] | Include;

/** What a CSV export may have of a user besides the metadata by its keys. */
const FIELDS: readonly FieldName[] = [...USER_FIELDS, ...INCLUDES];

/** A column of a CSV export: a field, what is included, or `metadata.<key>`. */
export type ExportColumn = FieldName | `metadata.${string}`;

/** Parses the value of `--columns`, a row of CSV. */
export function parseColumns(text: string): ExportColumn[] {
  const names = parseRow(text);
  if (!names) throw new InvalidArgumentError('It must be a row of CSV, with commas.');
  const columns = names.map(columnNamed);
  const twice = columns.find((column, at) => columns.indexOf(column) < at);
  if (twice) throw new InvalidArgumentError(`It names the column ${JSON.stringify(twice)} twice.`);
  return columns;
}

function columnNamed(name: string): ExportColumn {
  const shown = JSON.stringify(name.trim().slice(0, 80));
  const key = keyInName(name);
  const field = FIELDS.find((field) => columnKey(field) === columnKey(name));
  if (key === undefined && field === undefined)
    throw new InvalidArgumentError(
      `There is no column ${shown}. Columns are ${FIELDS.join(', ')} and metadata.<key>.`,
    );
  const fault = key === undefined ? undefined : keyFault(key);
  if (fault) throw new InvalidArgumentError(`The key of the column ${shown} ${fault}.`);
  return field ?? (metadataTarget(key!) as ExportColumn);
}

export const cellsOf = (user: UserView, columns: readonly ExportColumn[]): string[] =>
  columns.map((column) => {
    const key = keyOfTarget(column);
    if (key === undefined) return fieldCell(user[column as FieldName]);
    return Object.hasOwn(user.metadata, key) ? cell(user.metadata[key]) : '';
  });

function fieldCell(value: unknown): string {
  if (value === null) return '';
  return value instanceof Date ? value.toISOString() : cell(value);
}

const cell = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
