import type { Queryable } from './cluster';
import type { Placement, Placements } from './placements';

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
