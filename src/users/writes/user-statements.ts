import type { DataSource } from 'typeorm';
import { sqlState } from '../../database/errors';
import { Parameters } from '../../database/parameters';
import { tableName } from '../../database/tables';
import { searchTextOf, type UserColumns, WRITTEN_COLUMNS } from '../user-columns';
import type { WritableFields, WrittenColumn } from '../user.fields';

/** A new user. */
export interface NewUser {
  id: string;
  /** Every column of `WRITTEN_COLUMNS`. */
  columns: UserColumns;
}

/** The new values of a user that was read. The statement does nothing unless it still has that version. */
export interface UserChange {
  id: string;
  version: number;
  /** The fields that change, and their columns. */
  fields: Partial<WritableFields>;
  columns: UserColumns;
  /** What the search knows of the user, if that changes. */
  search?: { nameKey: string; name: string; text: string; formerText: string };
}

/** What a statement returns of each user that it has written. */
export interface Written {
  id: string;
  at: Date;
}

type Statement = [sql: string, values: unknown[]];

const namesOf = (columns: readonly { column: string }[]) => columns.map(({ column }) => column);
const asParameter = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : (value ?? null));
const valueOf = (columns: UserColumns, column: string) => columns[column as WrittenColumn];

/** Adds steps of other features, which insert by VALUES: a cluster sends any other insert through all of its nodes. */
export type MoreSteps = (parameters: Parameters, organization: string) => string[];

/** Inserts users and returns them. Fails as a whole if an email is taken in the organization. */
export function insertStatement(
  dataSource: DataSource,
  organizationId: string,
  users: readonly NewUser[],
  more: MoreSteps = () => [],
): Statement {
  const parameters = new Parameters();
  const organization = parameters.bind(organizationId);
  // The order prevents a deadlock between two statements that insert the same emails.
  const sorted = [...users].sort((a, b) =>
    String(a.columns.email_key) < String(b.columns.email_key) ? -1 : 1,
  );
  const inserted = sorted.map(({ id, columns }) => {
    const cells = WRITTEN_COLUMNS.map(({ column }) => parameters.bind(asParameter(valueOf(columns, column))));
    return `(${[organization, parameters.bind(id), ...cells].join(', ')})`;
  });
  const searched = sorted.map(({ id, columns }) => {
    const cells = [id, columns.name_key, columns.name, searchTextOf(columns)].map((cell) =>
      parameters.bind(cell),
    );
    return `(${[organization, ...cells].join(', ')})`;
  });
  const steps = [
    `written AS (
       INSERT INTO ${tableName(dataSource, 'users')} (organization_id, id, ${namesOf(WRITTEN_COLUMNS).join(', ')})
       VALUES ${inserted.join(', ')}
       RETURNING id, created_at AS at
     )`,
    `searched AS (
       INSERT INTO ${tableName(dataSource, 'user_search')} (organization_id, user_id, name_key, name, text)
       VALUES ${searched.join(', ')}
     )`,
    ...more(parameters, organization),
  ];
  return [`WITH ${steps.join(', ')} SELECT id, at FROM written`, parameters.values];
}

/** Columns that only the former release fills. Emptied with their field, they show what is of that release. */
const FORMER_COLUMNS = ['name', 'email', 'metadata'];

/**
 * Changes users and returns them. Fails as a whole (`isStale`) unless all of them still have their version. Several also fail
 * so, rather than wait, if another transaction has locked one, unless `skipLocked` is false.
 */
export function updateStatement(
  dataSource: DataSource,
  organizationId: string,
  changes: readonly UserChange[],
  { skipLocked = true, more = () => [] }: { skipLocked?: boolean; more?: MoreSteps } = {},
): Statement {
  const parameters = new Parameters();
  const organization = parameters.bind(organizationId);
  const [ids, cellOf] = cellsOf(parameters, changes);
  const users = tableName(dataSource, 'users');
  const changed = WRITTEN_COLUMNS.filter(({ column }) => changes.some(({ columns }) => column in columns));
  const assignments = changed.flatMap(({ column, type }) => {
    const cell = cellOf(type, ({ columns }) => valueOf(columns, column))('id');
    const words = `${column}_words = CASE WHEN ${cell} IS NULL THEN ${column}_words ELSE '' END`;
    // A column that only others of them change keeps its value: the row has not changed since it was read.
    return [`${column} = coalesce(${cell}, ${column})`, ...(FORMER_COLUMNS.includes(column) ? [words] : [])];
  });
  const wanted = `organization_id = ${organization} AND id = ANY (${ids})`;
  const unlocked = `organization_id = ${organization} AND id = ANY (ARRAY(SELECT id FROM ${users} WHERE ${wanted} FOR UPDATE SKIP LOCKED))`;
  // greatest() keeps `updatedAt` from going back: a statement that waited for a later one has the older now().
  const written = `
    UPDATE ${users} SET ${assignments.join(', ')}, version = version + 1, updated_at = greatest(updated_at, now())
    WHERE ${skipLocked && changes.length > 1 ? unlocked : wanted} AND version = ${cellOf('integer', ({ version }) => version)('id')}
    RETURNING id, updated_at AS at`;
  const steps = [
    `written AS (${written})`,
    ...searchSteps(dataSource, organization, ids, changes, cellOf),
    ...replacedSteps(
      dataSource,
      parameters,
      organization,
      changes.flatMap(({ search }) => (search && search.formerText !== search.text ? search.formerText : [])),
    ),
    ...more(parameters, organization),
  ];
  return [`WITH ${steps.join(', ')} ${allWritten(changes.length)}`, parameters.values];
}

/** Returns what was written, or fails with a division by zero: the other steps then leave nothing behind either. */
const allWritten = (count: number) =>
  `SELECT id, at FROM written WHERE 1 / ((SELECT count(*) FROM written) = ${count})::int = 1`;

/** Whether a statement failed because not every user had the version that was read. */
export const isStale = (error: unknown): boolean => sqlState(error) === '22012';

/** Binds a value of each row, and returns an expression for the value of the row with the id in a column. */
type CellOf<Row> = (type: string, valueOf: (row: Row) => unknown) => (idColumn: string) => string;

/**
 * The ids of the rows, and their other values. These are objects by id rather than a list to join, because PostgreSQL then
 * looks up the ids whatever its statistics say. A single row is written by plain values, which is faster again.
 */
function cellsOf<Row extends { id: string }>(
  parameters: Parameters,
  rows: readonly Row[],
): [ids: string, CellOf<Row>] {
  const ids = `${parameters.bind(rows.map(({ id }) => id))}::text[]`;
  if (rows.length === 1) {
    const cellOf: CellOf<Row> = (type, valueOf) => {
      const cell = `${parameters.bind(asParameter(valueOf(rows[0])))}::${type}`;
      return () => cell;
    };
    return [ids, cellOf];
  }
  const cellOf: CellOf<Row> = (type, valueOf) => {
    const byId = JSON.stringify(Object.fromEntries(rows.map((row) => [row.id, valueOf(row)])));
    const cells = `${parameters.bind(byId)}::jsonb`;
    return (idColumn) =>
      type === 'jsonb' ? `(${cells} -> ${idColumn})` : `(${cells} ->> ${idColumn})::${type}`;
  };
  return [ids, cellOf];
}

/** A step that changes what the search knows of the users. */
function searchSteps(
  dataSource: DataSource,
  organization: string,
  ids: string,
  changes: readonly UserChange[],
  cellOf: CellOf<UserChange>,
): string[] {
  if (!changes.some(({ search }) => search)) return [];
  const [nameKey, name, text] = (['nameKey', 'name', 'text'] as const).map((key) =>
    cellOf('text', ({ search }) => search?.[key])('user_id'),
  );
  return [
    `searched AS (
       UPDATE ${tableName(dataSource, 'user_search')} SET name_key = ${nameKey}, name = ${name}, text = ${text}
       WHERE organization_id = ${organization} AND user_id = ANY (${ids}) AND ${nameKey} IS NOT NULL
     )`,
  ];
}

/** A step that keeps former texts for the sweep of the vocabulary. */
function replacedSteps(
  dataSource: DataSource,
  parameters: Parameters,
  organization: string,
  texts: readonly string[],
): string[] {
  if (texts.length === 0) return [];
  const rows = texts.map((text) => `(${organization}, ${parameters.bind(text)})`);
  return [
    `replaced AS (
       INSERT INTO ${tableName(dataSource, 'replaced_texts')} (organization_id, text) VALUES ${rows.join(', ')}
     )`,
  ];
}

/** Deletes a user that still has its version, and keeps its search text for the sweep. Fails (`isStale`) if it does not. */
export function deleteStatement(
  dataSource: DataSource,
  organizationId: string,
  { id, version, text }: { id: string; version: number; text: string },
  more: MoreSteps = () => [],
): Statement {
  const parameters = new Parameters();
  const organization = parameters.bind(organizationId);
  const steps = [
    `written AS (
       DELETE FROM ${tableName(dataSource, 'users')}
       WHERE organization_id = ${organization} AND id = ${parameters.bind(id)} AND version = ${parameters.bind(version)}
       RETURNING id, updated_at AS at
     )`,
    ...replacedSteps(dataSource, parameters, organization, [text]),
    ...more(parameters, organization),
  ];
  return [`WITH ${steps.join(', ')} ${allWritten(1)}`, parameters.values];
}
