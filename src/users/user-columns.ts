import { vocabularyOf } from './search/spelling';
import { USER_FIELD_LIST, type UserFieldName, type WritableFields } from './user.fields';

/** A column as JSON and as a statement name it: its value, or what follows from the value. */
export type UserColumns = Record<string, string | object>;

const writable = USER_FIELD_LIST.filter((field) => field.writable);

/** Every column that a caller's fields decide. */
export const WRITTEN_COLUMNS = writable.flatMap(({ column, kind, key, words }) => [
  { column, type: kind === 'json' ? 'json' : 'text' },
  ...(key ? [{ column: `${column}_key`, type: 'text' }] : []),
  ...(words ? [{ column: `${column}_words`, type: 'text' }] : []),
]);

const WORDS_COLUMNS = writable.flatMap(({ column, words }) => (words ? [`${column}_words`] : []));

/** The columns that the given fields decide, and no others. */
export function columnsOf(fields: Partial<WritableFields>): UserColumns {
  const columns: UserColumns = {};
  for (const { name, column, key, words } of writable) {
    const value = fields[name as keyof WritableFields] as never;
    if (value === undefined) continue;
    columns[column] = value;
    if (key) columns[`${column}_key`] = key(value);
    if (words) columns[`${column}_words`] = words(value);
  }
  return columns;
}

/** A new user's fields, with the defaults of those that the caller did not name. */
export function withDefaults(fields: Partial<WritableFields>): WritableFields {
  const complete: Record<string, unknown> = {};
  for (const { name, fallback } of writable)
    complete[name] = fields[name as keyof WritableFields] ?? fallback;
  return complete as WritableFields;
}

/** The words by which a misspelt query is understood. */
export const wordsOf = (columns: UserColumns): string[] =>
  vocabularyOf(...WORDS_COLUMNS.map((column) => (columns[column] as string | undefined) ?? ''));

const named = (sql: string, name: UserFieldName) => (sql === name ? sql : `${sql} AS "${name}"`);

const asText = (column: string, kind: string): string => {
  if (kind === 'time') return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return kind === 'json' ? `${column}::text` : column;
};

/** The fields as columns of a statement. */
export const USER_COLUMNS = USER_FIELD_LIST.map(({ name, column }) => named(column, name)).join(', ');

/** The same, with times and metadata as the text that JSON shows. */
export const TEXT_COLUMNS = USER_FIELD_LIST.map(({ name, column, kind }) =>
  named(asText(column, kind), name),
).join(', ');

/** A user of those columns. */
export type UserText = Record<UserFieldName, string>;
