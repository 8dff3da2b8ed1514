import type { DataSource } from 'typeorm';
import { tableName } from '../database/tables';
import { USER_COLUMNS, type UserColumns, wordsOf, WRITTEN_COLUMNS } from './user-columns';
import { learn, lesson, type Word } from './search/vocabulary';

/** Which user. */
export interface UserKey {
  organizationId: string;
  id: string;
}

/** A user as the statements take it: a change has the columns that it changes. */
export interface UserRow extends UserKey {
  columns: UserColumns;
}

type Statement = [sql: string, values: unknown[]];

const COLUMNS = WRITTEN_COLUMNS.map(({ column }) => column).join(', ');

const json = (rows: readonly UserRow[]) =>
  JSON.stringify(
    rows.map(({ organizationId, id, columns }) => ({ organization_id: organizationId, id, ...columns })),
  );

const GIVEN = `json_to_recordset($1) AS given (organization_id text, id text, ${WRITTEN_COLUMNS.map(
  ({ column, type }) => `${column} ${type}`,
).join(', ')})`;

/** Inserts users, and gives those that it could: not one whose email another user of the organization has. */
export function insertion(dataSource: DataSource, rows: readonly UserRow[], words: Word[]): Statement {
  return withWords(
    dataSource,
    rows,
    words,
    // In one order, or two statements that wait for each other's emails deadlock.
    `INSERT INTO ${tableName(dataSource, 'users')} (organization_id, id, ${COLUMNS})
     SELECT organization_id, id, ${COLUMNS} FROM ${GIVEN}
     ORDER BY organization_id, email_key
     ON CONFLICT (organization_id, email_key) DO NOTHING
     RETURNING *`,
  );
}

/** Changes users, and gives those who are there. No user is among the rows twice. */
export const change = (dataSource: DataSource, rows: readonly UserRow[], words: Word[]): Statement =>
  update(dataSource, rows, words, GIVEN);

/** The same, without those whom somebody else has locked: it does not wait for them. */
export const changeOfFree = (dataSource: DataSource, rows: readonly UserRow[], words: Word[]): Statement =>
  update(dataSource, rows, words, free(dataSource));

/** Deletes a user. */
export const deletion = (dataSource: DataSource, { organizationId, id }: UserKey): Statement => [
  `DELETE FROM ${tableName(dataSource, 'users')} WHERE organization_id = $1 AND id = $2`,
  [organizationId, id],
];

const free = (dataSource: DataSource) => `(
  SELECT given.* FROM ${GIVEN}
  JOIN ${tableName(dataSource, 'users')} AS users ON users.organization_id = given.organization_id AND users.id = given.id
  FOR UPDATE OF users SKIP LOCKED) AS given`;

// One statement: loading, assigning and saving would write back what somebody else just changed. It may have waited for a
// later one, and its now() is older then: `updatedAt` never goes back.
const update = (dataSource: DataSource, rows: readonly UserRow[], words: Word[], given: string): Statement =>
  withWords(
    dataSource,
    rows,
    words,
    `UPDATE ${tableName(dataSource, 'users')} AS users
     SET ${WRITTEN_COLUMNS.map(({ column }) => `${column} = coalesce(given.${column}, users.${column})`).join(', ')},
       updated_at = greatest(users.updated_at, now())
     FROM ${given}
     WHERE users.organization_id = given.organization_id AND users.id = given.id
     RETURNING users.*`,
  );

/** The statement, which also adds words to those that a misspelt query is compared with. */
function withWords(
  dataSource: DataSource,
  rows: readonly UserRow[],
  words: Word[],
  statement: string,
): Statement {
  const values = [json(rows)];
  const steps = [`written AS (${statement})`];
  if (words.length > 0) steps.push(`learned AS (${learn(dataSource, `$${values.push(lesson(words))}`)})`);
  return [
    `WITH ${steps.join(', ')} SELECT organization_id AS "organizationId", ${USER_COLUMNS} FROM written`,
    values,
  ];
}

/** The words of these rows that are new, each once. */
export function wordsOfRows(rows: readonly UserRow[], isNew = (_word: Word) => true): Word[] {
  const words = new Map<string, Word>();
  for (const row of rows)
    for (const word of wordsOf(row.columns)) {
      const one = { organizationId: row.organizationId, word };
      if (isNew(one)) words.set(`${one.organizationId} ${word}`, one);
    }
  return [...words.values()];
}
