import type { Queryable } from './cluster';
import { anchorOf, type Placement, type Placements } from './placements';

/** A table of the service as the database has it. */
export interface Table {
  name: string;
  /** Null for a plain table, of which Citus knows nothing. */
  placement: Placement | null;
  /** The column that its rows are distributed by. */
  column: string | null;
  isUnlogged: boolean;
}

/** The tables that have a place and are in the current schema, in the order of their places. */
export function tablesOf(database: Queryable, placements: Placements): Promise<Table[]> {
  return database.query(
    `SELECT name, relpersistence = 'u' AS "isUnlogged",
       CASE WHEN partmethod = 'h' THEN 'distributed' WHEN repmodel = 't' THEN 'reference' WHEN repmodel IS NOT NULL THEN 'local' END AS placement,
       column_to_column_name(logicalrelid, partkey) AS column
     FROM unnest($1::text[]) WITH ORDINALITY AS known (name, place)
     JOIN pg_class ON relname = name AND relnamespace = to_regnamespace(quote_ident(current_schema()))
     LEFT JOIN pg_dist_partition ON logicalrelid = pg_class.oid
     ORDER BY place`,
    [Object.keys(placements)],
  );
}

/** The tables that are not where they belong. A local table has nowhere to go. */
export const misplaced = (tables: Table[], placements: Placements) =>
  tables.filter(({ name, placement }) => (placement ?? 'local') !== placements[name]);

export async function countRows(database: Queryable, table: string): Promise<number> {
  const [{ rows }] = await database.query(`SELECT count(*) AS rows FROM ${table}`);
  return Number(rows);
}

/** A change that distributes the database, in words and as a statement. */
export interface DistributionStep {
  does: string;
  sql: string;
  /** The rows that it copies. */
  rows?: number;
}

/** The steps that bring these tables to their places, in an order that Citus allows. */
export async function stepsFor(
  runner: Queryable,
  tables: Table[],
  placements: Placements,
  rows: ReadonlyMap<string, number>,
): Promise<DistributionStep[]> {
  const names = tables.map(({ name }) => name);
  const distributed = names.filter((name) => placements[name] === 'distributed');
  const keys = await foreignKeysAmong(runner, distributed);
  return [
    ...keys.map(({ name, table }) => ({
      does: `drop the foreign key ${name} until its tables are moved`,
      sql: `ALTER TABLE ${table} DROP CONSTRAINT ${name}`,
    })),
    ...tables
      .filter(({ isUnlogged }) => isUnlogged)
      .map(({ name }) => ({
        does: `make ${name} logged, because shards of unlogged tables cannot be moved`,
        sql: `ALTER TABLE ${name} SET LOGGED`,
      })),
    ...names.map((name) => ({ ...moveOf(name, placements), rows: rows.get(name) })),
    ...keys.map(({ name, table, definition }) => ({
      does: `add the foreign key ${name} again`,
      sql: `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`,
    })),
    ...names
      .filter((name) => rows.get(name))
      .map((name) => ({
        does: `remove the rows of ${name} that were copied`,
        sql: `SELECT truncate_local_data_after_distributing_table('${name}')`,
      })),
  ];
}

function moveOf(name: string, placements: Placements): DistributionStep {
  if (placements[name] === 'reference')
    return { does: `copy ${name} to every node`, sql: `SELECT create_reference_table('${name}')` };
  const anchor = anchorOf(placements);
  const others = name === anchor ? '' : `, colocate_with => '${anchor}'`;
  return {
    does: `distribute ${name} by organization`,
    sql: `SELECT create_distributed_table('${name}', 'organization_id'${others})`,
  };
}

/** Citus takes no foreign key between two tables while only one of them is distributed. */
function foreignKeysAmong(
  runner: Queryable,
  tables: string[],
): Promise<{ name: string; table: string; definition: string }[]> {
  return runner.query(
    `SELECT conname AS name, relname AS table, pg_get_constraintdef(pg_constraint.oid) AS definition
     FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
     WHERE contype = 'f' AND conrelid = ANY ($1::regclass[]) AND confrelid = ANY ($1::regclass[]) ORDER BY conname`,
    [tables],
  );
}
