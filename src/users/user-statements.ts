import type { DataSource } from 'typeorm';
import { tableName } from '../database/tables';
import { USER_COLUMNS, type UserColumns, wordsOf, WRITTEN_COLUMNS } from './user-columns';
import { insertWords, type Word, wordsAsJson } from './search/vocabulary';

/** Identifies a user. */
export interface UserKey {
  organizationId: string;
  id: string;
}

/** The input of a statement. An update contains only the columns to change. */
export interface UserRow extends UserKey {
  columns: UserColumns;
}

type Statement = [sql: string, values: unknown[]];

const COLUMNS = WRITTEN_COLUMNS.map(({ column }) => column).join(', ');

const rowsAsJson = (rows: readonly UserRow[]) =>
  JSON.stringify(
    rows.map(({ organizationId, id, columns }) => ({ organization_id: organizationId, id, ...columns })),
  );

const INPUT = `json_to_recordset($1) AS input (organization_id text, id text, ${WRITTEN_COLUMNS.map(
  ({ column, type }) => `${column} ${type}`,
).join(', ')})`;

/** Inserts users and returns them; skips users with an email that is taken in their organization. */
export function insertStatement(dataSource: DataSource, rows: readonly UserRow[], words: Word[]): Statement {
  return withWords(
    dataSource,
    rows,
    words,
    // The order prevents a deadlock between two statements that insert the same emails.
    `INSERT INTO ${tableName(dataSource, 'users')} (organization_id, id, ${COLUMNS})
     SELECT organization_id, id, ${COLUMNS} FROM ${INPUT}
     ORDER BY organization_id, email_key
     ON CONFLICT (organization_id, email_key) DO NOTHING
     RETURNING *`,
  );
}

/** Updates users and returns those that exist. A user may be in `rows` only once. */
export const updateStatement = (dataSource: DataSource, rows: readonly UserRow[], words: Word[]): Statement =>
  updateFrom(dataSource, rows, words, INPUT);

/** The same, but skips users that another transaction has locked instead of waiting for them. */
export const updateUnlockedStatement = (
  dataSource: DataSource,
  rows: readonly UserRow[],
  words: Word[],
): Statement => updateFrom(dataSource, rows, words, unlockedInput(dataSource));

const unlockedInput = (dataSource: DataSource) => `(
  SELECT input.* FROM ${INPUT}
  JOIN ${tableName(dataSource, 'users')} AS users ON users.organization_id = input.organization_id AND users.id = input.id
  FOR UPDATE OF users SKIP LOCKED) AS input`;

// One statement, because loading and saving a row would overwrite concurrent changes. greatest() keeps `updatedAt` from
// going back: a statement that waited for a later one has the older now().
const updateFrom = (
  dataSource: DataSource,
  rows: readonly UserRow[],
  words: Word[],
  input: string,
): Statement =>
  withWords(
    dataSource,
    rows,
    words,
    `UPDATE ${tableName(dataSource, 'users')} AS users
     SET ${WRITTEN_COLUMNS.map(({ column }) => `${column} = coalesce(input.${column}, users.${column})`).join(', ')},
       updated_at = greatest(users.updated_at, now())
     FROM ${input}
     WHERE users.organization_id = input.organization_id AND users.id = input.id
     RETURNING users.*`,
  );

/** Extends the statement, so that it also adds the words to the vocabularies. */
function withWords(
  dataSource: DataSource,
  rows: readonly UserRow[],
  words: Word[],
  statement: string,
): Statement {
  const values = [rowsAsJson(rows)];
  const steps = [`written AS (${statement})`];
  if (words.length > 0)
    steps.push(`added_words AS (${insertWords(dataSource, `$${values.push(wordsAsJson(words))}`)})`);
  return [
    `WITH ${steps.join(', ')} SELECT organization_id AS "organizationId", ${USER_COLUMNS} FROM written`,
    values,
  ];
}

/** The distinct new words of these rows. */
export function wordsOfRows(rows: readonly UserRow[], isNew = (_word: Word) => true): Word[] {
  const words = new Map<string, Word>();
  for (const row of rows)
    for (const word of wordsOf(row.columns)) {
      const entry = { organizationId: row.organizationId, word };
      if (isNew(entry)) words.set(`${entry.organizationId} ${word}`, entry);
    }
  return [...words.values()];
}
