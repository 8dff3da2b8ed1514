import type { EntityManager, EntityMetadata } from 'typeorm';
import { query, raw, sql } from '../database/sql';
import { conflict } from '../http/fault';

/** A foreign key of another table that prevents the deletion of rows of the service. All names are quoted. */
interface ForeignKey {
  table: string;
  columns: string[];
  ownTable: string;
  ownColumns: string[];
  /** The column of the service's table that names the organization. */
  organizationColumn: string;
}

/**
 * Throws a 409 if rows of a host's table prevent the deletion of an organization or of what it has. Looked for before,
 * because a deletion in parts cannot be undone.
 */
export async function requireUnreferenced(
  manager: EntityManager,
  tables: EntityMetadata[],
  organizationId: string,
): Promise<void> {
  for (const { table, columns, ownTable, ownColumns, organizationColumn } of await foreignKeys(
    manager,
    tables,
  )) {
    const joined = columns.map((column, i) => `other.${column} = own.${ownColumns[i]}`).join(' AND ');
    const rows = await query(
      manager,
      sql`SELECT FROM ${raw(`${ownTable} AS own JOIN ${table} AS other ON ${joined}`)}
          WHERE own.${raw(organizationColumn)} = ${organizationId} LIMIT 1`,
    );
    if (rows.length > 0)
      throw conflict(`The table ${table} still refers to the organization, or to a part of it.`);
  }
}

function foreignKeys(manager: EntityManager, tables: EntityMetadata[]): Promise<ForeignKey[]> {
  const { schema = null } = tables[0];
  const names = tables.map(({ tableName }) => tableName);
  const namesOf = (keys: string, table: string) =>
    raw(`ARRAY(
      SELECT quote_ident(attname) FROM unnest(${keys}) WITH ORDINALITY AS keys (number, place)
      JOIN pg_attribute ON attrelid = ${table} AND attnum = keys.number ORDER BY place)`);
  return query<ForeignKey>(
    manager,
    sql`WITH own AS (
          SELECT pg_class.oid, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
          WHERE nspname = coalesce(${schema}::text, current_schema()) AND relname = ANY (${names})
        )
        SELECT conrelid::regclass::text AS "table", ${namesOf('conkey', 'conrelid')} AS columns,
          confrelid::regclass::text AS "ownTable", ${namesOf('confkey', 'confrelid')} AS "ownColumns",
          CASE relname WHEN 'organizations' THEN 'id' ELSE 'organization_id' END AS "organizationColumn"
        FROM pg_constraint JOIN own ON own.oid = confrelid
        WHERE contype = 'f' AND conparentid = 0 AND confdeltype IN ('a', 'r') AND conrelid NOT IN (SELECT oid FROM own)`,
  );
}
