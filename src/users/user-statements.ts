import type { DataSource } from 'typeorm';
import { tableName } from '../database/tables';
import { TEXT_PARTS, USER_COLUMNS, type UserColumns, wordsOf, WRITTEN_COLUMNS } from './user-columns';
import { EMAIL_MARK, METADATA_MARK } from './search/search-text';
import type { Word } from './search/vocabulary';

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

const INPUT_COLUMNS = [...WRITTEN_COLUMNS, ...TEXT_PARTS.map((column) => ({ column, type: 'text' }))]
  .map(({ column, type }) => `${column} ${type}`)
  .join(', ');

/** The rows as a step of a statement. LIMIT tells the planner how many there are. */
const inputStep = (rows: readonly UserRow[]) =>
  `input AS MATERIALIZED (SELECT * FROM json_to_recordset($1) AS rows (organization_id text, id text, ${INPUT_COLUMNS}) LIMIT ${rows.length})`;

const rowsAsJson = (rows: readonly UserRow[]) =>
  JSON.stringify(
    rows.map(({ organizationId, id, columns }) => ({ organization_id: organizationId, id, ...columns })),
  );

const RESULT = `SELECT organization_id AS "organizationId", ${USER_COLUMNS} FROM written`;

// The marks end the name and the email: search text contains neither @ nor # but there.
const TEXT_MARKS = [EMAIL_MARK, METADATA_MARK].map((mark) => `E'${mark.replace('\n', '\\n')}'`);

/** Joins the parts of the search text. */
const textOf = ([name, email, metadata]: string[]) =>
  `${name} || ${TEXT_MARKS[0]} || ${email} || ${TEXT_MARKS[1]} || ${metadata}`;

/** The parts of a stored search text. */
const STORED_PARTS = [
  `split_part(stored.text, ${TEXT_MARKS[0]}, 1)`,
  `split_part(split_part(stored.text, ${TEXT_MARKS[0]}, 2), ${TEXT_MARKS[1]}, 1)`,
  `split_part(stored.text, ${TEXT_MARKS[1]}, 2)`,
];

const CHANGED_TEXT = textOf(TEXT_PARTS.map((part, i) => `coalesce(input.${part}, ${STORED_PARTS[i]})`));

/** Columns that only the former release fills. Emptied with their field, they show what is of that release. */
const FORMER_COLUMNS = ['name', 'email', 'metadata']
  .map(
    (field) => `${field}_words = CASE WHEN input.${field}_text IS NULL THEN users.${field}_words ELSE '' END`,
  )
  .join(', ');

/** Inserts users and returns them; skips users with an email that is taken in their organization. */
export const insertStatement = (dataSource: DataSource, rows: readonly UserRow[]): Statement => [
  // The order prevents a deadlock between two statements that insert the same emails.
  `WITH ${inputStep(rows)},
   written AS (
     INSERT INTO ${tableName(dataSource, 'users')} (organization_id, id, ${COLUMNS})
     SELECT organization_id, id, ${COLUMNS} FROM input
     ORDER BY organization_id, email_key
     ON CONFLICT (organization_id, email_key) DO NOTHING
     RETURNING *
   ),
   searched AS (
     INSERT INTO ${tableName(dataSource, 'user_search')} (organization_id, user_id, name_key, name, text)
     SELECT organization_id, id, written.name_key, written.name, ${textOf(TEXT_PARTS)}
     FROM written JOIN input USING (organization_id, id)
   )
   ${RESULT}`,
  [rowsAsJson(rows)],
];

/** Updates users and returns those that exist. A user may be in `rows` only once. */
export const updateStatement = (dataSource: DataSource, rows: readonly UserRow[]): Statement =>
  updateFrom(dataSource, rows, 'input');

/** The same, but skips users that another transaction has locked instead of waiting for them. */
export const updateUnlockedStatement = (dataSource: DataSource, rows: readonly UserRow[]): Statement =>
  updateFrom(
    dataSource,
    rows,
    `(SELECT input.* FROM input JOIN ${tableName(dataSource, 'users')} AS users USING (organization_id, id) FOR UPDATE OF users SKIP LOCKED) AS input`,
  );

// One statement, because loading and saving a row would overwrite concurrent changes. greatest() keeps `updatedAt` from
// going back: a statement that waited for a later one has the older now().
const updateFrom = (dataSource: DataSource, rows: readonly UserRow[], input: string): Statement => [
  `WITH ${[
    inputStep(rows),
    `written AS (
       UPDATE ${tableName(dataSource, 'users')} AS users
       SET ${WRITTEN_COLUMNS.map(({ column }) => `${column} = coalesce(input.${column}, users.${column})`).join(', ')},
         ${FORMER_COLUMNS},
         updated_at = greatest(users.updated_at, now())
       FROM ${input}
       WHERE users.organization_id = input.organization_id AND users.id = input.id
       RETURNING users.*
     )`,
    ...(rows.some(isSearched) ? searchSteps(dataSource) : []),
  ].join(', ')}
   ${RESULT}`,
  [rowsAsJson(rows)],
];

const isSearched = ({ columns }: UserRow) => TEXT_PARTS.some((part) => part in columns);

/**
 * Steps that bring the search text of the updated users up to date, where it changes, and keep the former one for the sweep. The
 * row is locked before it is read: another statement may have changed another part of it.
 */
const searchSteps = (dataSource: DataSource) => {
  const userSearch = tableName(dataSource, 'user_search');
  return [
    `stored AS MATERIALIZED (
       SELECT stored.organization_id, stored.user_id, stored.text AS former, ${CHANGED_TEXT} AS text,
         stored.name AS former_name, written.name, written.name_key
       FROM written JOIN input USING (organization_id, id)
       JOIN ${userSearch} AS stored ON stored.organization_id = written.organization_id AND stored.user_id = written.id
       FOR UPDATE OF stored
     )`,
    `replaced AS (
       INSERT INTO ${tableName(dataSource, 'replaced_texts')} (organization_id, text)
       SELECT organization_id, former FROM stored WHERE text <> former
     )`,
    `searched AS (
       UPDATE ${userSearch} AS user_search SET text = stored.text, name = stored.name, name_key = stored.name_key FROM stored
       WHERE user_search.organization_id = stored.organization_id AND user_search.user_id = stored.user_id
         AND (stored.text <> former OR stored.name <> former_name)
     )`,
  ];
};

/** Deletes a user, whose search text goes with it, and keeps that text for the sweep. Returns the id if it existed. */
export const deleteStatement = (dataSource: DataSource, { organizationId, id }: UserKey): Statement => [
  // The user is locked first, as by a change, and then the text is read as it is by then.
  `WITH gone AS MATERIALIZED (
     SELECT organization_id, id FROM ${tableName(dataSource, 'users')} WHERE organization_id = $1 AND id = $2 FOR UPDATE
   ),
   stored AS MATERIALIZED (
     SELECT stored.organization_id, stored.text
     FROM gone JOIN ${tableName(dataSource, 'user_search')} AS stored ON stored.user_id = gone.id AND stored.organization_id = gone.organization_id
     FOR UPDATE OF stored
   ),
   replaced AS (
     INSERT INTO ${tableName(dataSource, 'replaced_texts')} (organization_id, text) SELECT organization_id, text FROM stored
   )
   DELETE FROM ${tableName(dataSource, 'users')} AS users USING gone
   WHERE users.organization_id = gone.organization_id AND users.id = gone.id RETURNING users.id`,
  [organizationId, id],
];

/** The words that these rows add to the vocabularies. */
export const wordsOfRows = (rows: readonly UserRow[]): Word[] =>
  rows.flatMap(({ organizationId, columns }) => wordsOf(columns).map((word) => ({ organizationId, word })));
