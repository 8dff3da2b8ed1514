import type { DataSource } from 'typeorm';
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

const typesOf = (columns: readonly { type: string }[]) => columns.map(({ type }) => type);
const namesOf = (columns: readonly { column: string }[]) => columns.map(({ column }) => column);
const asParameter = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : (value ?? null));
const valueOf = (columns: UserColumns, column: string) => columns[column as WrittenColumn];

/** Inserts users and returns them; `more` adds steps of other features. Fails as a whole if an email is taken in the organization. */
export function insertStatement(
  dataSource: DataSource,
  organizationId: string,
  users: readonly NewUser[],
  more: (parameters: Parameters, organization: string) => string[] = () => [],
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

/** Changes users and returns those that still had their version. With `skipLocked` it leaves out users that another transaction has locked. */
export function updateStatement(
  dataSource: DataSource,
  organizationId: string,
  changes: readonly UserChange[],
  { skipLocked = changes.length > 1 } = {},
): Statement {
  const parameters = new Parameters();
  const organization = parameters.bind(organizationId);
  const changed = WRITTEN_COLUMNS.filter(({ column }) => changes.some(({ columns }) => column in columns));
  const users = tableName(dataSource, 'users');
  // A column that only others of them change keeps its value: the row has not changed since it was read.
  const input = parameters.rows(
    ['text', 'integer', ...typesOf(changed)],
    changes.map(({ id, version, columns }) => [
      id,
      version,
      ...changed.map(({ column }) => asParameter(valueOf(columns, column))),
    ]),
  );
  const names = ['id', 'version', ...namesOf(changed)].join(', ');
  const unlocked = `(
    SELECT input.* FROM input JOIN ${users} AS users ON users.organization_id = ${organization} AND users.id = input.id
    FOR UPDATE OF users SKIP LOCKED) AS input`;
  const assignments = [
    ...namesOf(changed).map((column) => `${column} = coalesce(input.${column}, users.${column})`),
    ...namesOf(changed)
      .filter((column) => FORMER_COLUMNS.includes(column))
      .map(
        (column) =>
          `${column}_words = CASE WHEN input.${column} IS NULL THEN users.${column}_words ELSE '' END`,
      ),
    'version = input.version + 1',
    // greatest() keeps it from going back: a statement that waited for a later one has the older now().
    'updated_at = greatest(users.updated_at, now())',
  ];
  const steps = [
    `input (${names}) AS MATERIALIZED (${input})`,
    `written AS (
       UPDATE ${users} AS users SET ${assignments.join(', ')}
       FROM ${skipLocked ? unlocked : 'input'}
       WHERE users.organization_id = ${organization} AND users.id = input.id AND users.version = input.version
       RETURNING users.id, users.updated_at AS at
     )`,
    ...searchSteps(dataSource, organization, changes, parameters),
  ];
  return [`WITH ${steps.join(', ')} SELECT id, at FROM written`, parameters.values];
}

/** Steps that change what the search knows of the users, and keep the former texts for the sweep of the vocabulary. */
function searchSteps(
  dataSource: DataSource,
  organization: string,
  changes: readonly UserChange[],
  parameters: Parameters,
): string[] {
  const texts = changes.flatMap(({ id, search }) =>
    search ? [[id, search.nameKey, search.name, search.text, search.formerText]] : [],
  );
  if (texts.length === 0) return [];
  return [
    `texts (id, name_key, name, text, former) AS MATERIALIZED (
       SELECT texts.* FROM (${parameters.rows(['text', 'text', 'text', 'text', 'text'], texts)}) AS texts (id) JOIN written USING (id)
     )`,
    `replaced AS (
       INSERT INTO ${tableName(dataSource, 'replaced_texts')} (organization_id, text)
       SELECT ${organization}, former FROM texts WHERE former <> text
     )`,
    `searched AS (
       UPDATE ${tableName(dataSource, 'user_search')} AS user_search SET name_key = texts.name_key, name = texts.name, text = texts.text
       FROM texts WHERE user_search.organization_id = ${organization} AND user_search.user_id = texts.id
     )`,
  ];
}

/** Deletes a user that still has its version, and keeps its search text for the sweep. Returns it if it had. */
export const deleteStatement = (
  dataSource: DataSource,
  organizationId: string,
  { id, version, text }: { id: string; version: number; text: string },
): Statement => [
  `WITH gone AS (
     DELETE FROM ${tableName(dataSource, 'users')} WHERE organization_id = $1 AND id = $2 AND version = $3 RETURNING id
   ),
   replaced AS (
     INSERT INTO ${tableName(dataSource, 'replaced_texts')} (organization_id, text) SELECT $1, $4 FROM gone
   )
   SELECT id FROM gone`,
  [organizationId, id, version, text],
];
