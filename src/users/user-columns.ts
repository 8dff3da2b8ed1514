import { EMAIL_MARK, METADATA_MARK } from './search/search-text';
import { vocabularyOf } from './search/vocabulary';
import { USER_FIELD_LIST, type UserFieldName, type WritableFields, type WrittenColumn } from './user.fields';
import { kindOf } from './user.kinds';

/** Values by column name. */
export type UserColumns = Partial<Record<WrittenColumn, string | object>>;

const writableFields = USER_FIELD_LIST.filter((field) => field.writable);

/** Every column of `users` that is computed from a caller's fields. */
export const WRITTEN_COLUMNS = writableFields.flatMap(({ column, kind, key }) => [
  { column, type: kindOf(kind).type },
  ...(key ? [{ column: `${column}_key`, type: 'text' }] : []),
]);

/** The parts of the search text, in its order. */
export const TEXT_PARTS = writableFields.flatMap(({ column, text }) => (text ? [`${column}_text`] : []));

/** The columns to write for the given fields; undefined fields are left out. */
export function columnsOf(fields: Partial<WritableFields>): UserColumns {
  const columns: Record<string, string | object> = {};
  for (const { name, column, key, text } of writableFields) {
    const value = fields[name as keyof WritableFields] as never;
    if (value === undefined) continue;
    columns[column] = value;
    if (key) columns[`${column}_key`] = key(value);
    if (text) columns[`${column}_text`] = text(value);
  }
  return columns as UserColumns;
}

/** The search text of a user, from all its columns. */
export const searchTextOf = ({ name_text, email_text, metadata_text }: UserColumns): string =>
  `${name_text}${EMAIL_MARK}${email_text}${METADATA_MARK}${metadata_text}`;

/** All fields of a new user; fields that the caller left out have their defaults. */
export function withDefaults(fields: Partial<WritableFields>): WritableFields {
  const complete: Record<string, unknown> = {};
  for (const { name, fallback } of writableFields)
    complete[name] = fields[name as keyof WritableFields] ?? fallback?.();
  return complete as WritableFields;
}

/** The words that a user adds to the vocabulary. */
export const wordsOf = (columns: UserColumns): string[] =>
  vocabularyOf(TEXT_PARTS.map((part) => columns[part as WrittenColumn] ?? '').join(METADATA_MARK));

const withAlias = (sql: string, name: UserFieldName) => (sql === name ? sql : `${sql} AS "${name}"`);

/** The select list of all fields. */
export const USER_COLUMNS = USER_FIELD_LIST.map(({ name, column }) => withAlias(column, name)).join(', ');

/** The same, with times and metadata as the text that a response contains. */
export const TEXT_COLUMNS = USER_FIELD_LIST.map(({ name, column, kind }) =>
  withAlias(kindOf(kind).asText(column), name),
).join(', ');

/** A row of `TEXT_COLUMNS`. */
export type UserText = Record<UserFieldName, string>;
