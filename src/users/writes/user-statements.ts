import type { DataSource } from 'typeorm';
import { sqlState, violates } from '../../database/errors';
import { Parameters } from '../../database/parameters';
import { tableName } from '../../database/tables';
import type { UserText } from '../search/vocabulary-sweep';
import { columnsOf, searchTextOf, type UserColumns, WRITTEN_COLUMNS } from '../user-columns';
import type { User } from '../user.entity';
import type { WritableFields, WrittenColumn } from '../user.fields';
import { recordOf } from '../user.record';

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
  search?: { nameKey: string; name: string; text: string; replacedText: string };
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
    const cells = WRITTEN_COLUMNS.map(({ column, type }) => {
      const value = valueOf(columns, column);
      return type === 'text' ? parameters.share(value as string) : parameters.bind(asParameter(value));
    });
    return `(${[organization, parameters.share(id), ...cells].join(', ')})`;
  });
  const steps = [
    `written AS (
       INSERT INTO ${tableName(dataSource, 'users')} (organization_id, id, ${namesOf(WRITTEN_COLUMNS).join(', ')})
       VALUES ${inserted.join(', ')}
       RETURNING id, created_at AS at
     )`,
    searchedStep(dataSource, parameters, organization, sorted),
    ...more(parameters, organization),
  ];
  return [`WITH ${steps.join(', ')} SELECT id, at FROM written`, parameters.values];
}

/** A step that adds users to what is searched. */
function searchedStep(
  dataSource: DataSource,
  parameters: Parameters,
  organization: string,
  users: readonly NewUser[],
): string {
  const rows = users.map(({ id, columns }) => {
    const cells = [id, String(columns.name_key), String(columns.name)].map((text) => parameters.share(text));
    return `(${[organization, ...cells, parameters.bind(searchTextOf(columns))].join(', ')})`;
  });
  return `searched AS (
       INSERT INTO ${tableName(dataSource, 'user_search')} (organization_id, user_id, name_key, name, text)
       VALUES ${rows.join(', ')}
     )`;
}

/**
 * Changes users and returns them. Fails as a whole (`isStale`) unless all of them still have their version. If another transaction
 * has locked one of several, the statement also fails so, unless the locks are `held` already.
 */
export function updateStatement(
  dataSource: DataSource,
  organizationId: string,
  changes: readonly UserChange[],
  { locks = 'skip', more = () => [] }: { locks?: 'skip' | 'held'; more?: MoreSteps } = {},
): Statement {
  const parameters = new Parameters();
  const organization = parameters.bind(organizationId);
  const [ids, cellOf] = cellsOf(parameters, changes);
  const users = tableName(dataSource, 'users');
  const changed = WRITTEN_COLUMNS.filter(({ column }) => changes.some(({ columns }) => column in columns));
  const assignments = changed.map(({ column, type }) => {
    const cell = cellOf(type, ({ columns }) => valueOf(columns, column))('id');
    // A column that only others of them change keeps its value: the row has not changed since it was read.
    return `${column} = coalesce(${cell}, ${column})`;
  });
  const wanted = `organization_id = ${organization} AND id = ANY (${ids})`;
  const locked = `organization_id = ${organization} AND id = ANY (ARRAY(SELECT id FROM ${users} WHERE ${wanted} FOR UPDATE SKIP LOCKED))`;
  // greatest() keeps `updatedAt` from going back: a statement that waited for a later one has the older now().
  const written = `
    UPDATE ${users} SET ${assignments.join(', ')}, version = version + 1, updated_at = greatest(updated_at, now())
    WHERE ${changes.length > 1 && locks === 'skip' ? locked : wanted} AND version = ${cellOf('integer', ({ version }) => version)('id')}
    RETURNING id, updated_at AS at`;
  const steps = [
    `written AS (${written})`,
    ...searchSteps(dataSource, organization, ids, changes, cellOf),
    ...replacedSteps(
      dataSource,
      parameters,
      organization,
      changes.flatMap(({ id, search }) =>
        search && search.replacedText !== search.text ? { userId: id, text: search.replacedText } : [],
      ),
    ),
    ...more(parameters, organization),
  ];
  return [`WITH ${steps.join(', ')} ${allWritten(changes.length)}`, parameters.values];
}

/** Returns what was written, or fails with a division by zero: the other steps then leave nothing behind either. */
const allWritten = (count: number, step = 'written') =>
  `SELECT id, at FROM written WHERE 1 / ((SELECT count(*) FROM ${step}) = ${count})::int = 1`;

/** Whether a statement failed because not every user had the version that was read. */
export const isStale = (error: unknown): boolean =>
  sqlState(error) === '22012' || violates(error, 'users_pkey'); // of a user that is restored already

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
    // JSON is a string in there, or jsonb would write its numbers and the order of its keys anew.
    const textOf = (value: unknown) => (typeof value === 'object' ? asParameter(value) : value);
    const byId = JSON.stringify(Object.fromEntries(rows.map((row) => [row.id, textOf(valueOf(row))])));
    const cells = `${parameters.bind(byId)}::jsonb`;
    return (idColumn) => `(${cells} ->> ${idColumn})::${type}`;
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

/** A step that keeps replaced texts for the sweep of the vocabulary. */
function replacedSteps(
  dataSource: DataSource,
  parameters: Parameters,
  organization: string,
  texts: readonly UserText[],
): string[] {
  if (texts.length === 0) return [];
  const rows = texts.map(
    ({ userId, text }) => `(${organization}, ${parameters.bind(userId)}, ${parameters.bind(text)})`,
  );
  return [
    `replaced AS (
       INSERT INTO ${tableName(dataSource, 'replaced_texts')} (organization_id, user_id, text) VALUES ${rows.join(', ')}
     )`,
  ];
}

/**
 * Moves a user that still has its version to the deleted ones, and keeps its search text for the sweep. Fails (`isStale`) if the
 * user has another version.
 */
export function deleteStatement(dataSource: DataSource, user: User, more: MoreSteps = () => []): Statement {
  const parameters = new Parameters();
  const organization = parameters.bind(user.organizationId);
  const [id, version] = [parameters.bind(user.id), parameters.bind(user.version)];
  const columns = columnsOf(user);
  const [emailKey, fields] = [
    parameters.bind(columns.email_key),
    parameters.bind(JSON.stringify(recordOf(user))),
  ];
  const steps = [
    `written AS (
       DELETE FROM ${tableName(dataSource, 'users')}
       WHERE organization_id = ${organization} AND id = ${id} AND version = ${version}
       RETURNING id, updated_at AS at
     )`,
    `kept AS (
       INSERT INTO ${tableName(dataSource, 'deleted_users')} (organization_id, id, version, email_key, fields)
       VALUES (${[organization, id, version, emailKey, fields].join(', ')})
     )`,
    ...replacedSteps(dataSource, parameters, organization, [
      { userId: user.id, text: searchTextOf(columns) },
    ]),
    ...more(parameters, organization),
  ];
  return [`WITH ${steps.join(', ')} ${allWritten(1)}`, parameters.values];
}

/**
 * Moves a deleted user back, with the given columns, if it is still deleted and has its version. Fails (`isStale`) if not, and as a
 * whole if its email is taken.
 */
export function restoreStatement(
  dataSource: DataSource,
  { organizationId, id, version, createdAt, updatedAt }: User,
  columns: UserColumns,
  more: MoreSteps = () => [],
): Statement {
  const parameters = new Parameters();
  const organization = parameters.bind(organizationId);
  const [idCell, versionCell] = [parameters.bind(id), parameters.bind(version)];
  const cells = WRITTEN_COLUMNS.map(({ column }) => parameters.bind(asParameter(valueOf(columns, column))));
  const [created, updated] = [createdAt, updatedAt].map((time) => `${parameters.bind(time)}::timestamptz`);
  const steps = [
    `written AS (
       INSERT INTO ${tableName(dataSource, 'users')}
         (organization_id, id, version, ${namesOf(WRITTEN_COLUMNS).join(', ')}, created_at, updated_at)
       VALUES (${organization}, ${idCell}, ${versionCell} + 1, ${cells.join(', ')}, ${created}, greatest(${updated}, now()))
       RETURNING id, updated_at AS at
     )`,
    `taken AS (
       DELETE FROM ${tableName(dataSource, 'deleted_users')}
       WHERE organization_id = ${organization} AND id = ${idCell} AND version = ${versionCell}
       RETURNING id
     )`,
    searchedStep(dataSource, parameters, organization, [{ id, columns }]),
    ...more(parameters, organization),
  ];
  return [`WITH ${steps.join(', ')} ${allWritten(1, 'taken')}`, parameters.values];
}
