import type { EntityManager, EntityMetadata } from 'typeorm';
import { query, raw, sql } from '../platform/database/sql';
import { conflict } from '../platform/http/fault';

/** A foreign key of another table that prevents the deletion of rows of the service. */
interface ForeignKey {
  table: string;
  /** `FROM …`: the rows of the service to which the other table refers, as `own`. */
  rows: string;
  /** The column of `own` that names the organization. */
  column: string;
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
  for (const { table, rows, column } of await foreignKeys(manager, tables)) {
    const referring = sql`SELECT ${raw(rows)} WHERE own.${raw(column)} = ${organizationId} LIMIT 1`;
    if ((await query(manager, referring)).length > 0)
      throw conflict(`The table ${table} still refers to the organization, or to a part of it.`);
  }
}

function foreignKeys(manager: EntityManager, tables: EntityMetadata[]): Promise<ForeignKey[]> {
  const { schema = null } = tables[0];
  const names = tables.map(({ tableName }) => tableName);
  return query<ForeignKey>(
    manager,
    sql`WITH ours AS (
          SELECT pg_class.oid, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
          WHERE nspname = coalesce(${schema}::text, current_schema()) AND relname = ANY (${names})
        )
        SELECT conrelid::regclass::text AS "table",
          CASE relname WHEN 'organizations' THEN 'id' ELSE 'organization_id' END AS "column",
          format('FROM %s AS own JOIN %s AS other ON ', confrelid::regclass, conrelid::regclass) || (
            SELECT string_agg(format('other.%I = own.%I', other.attname, own.attname), ' AND ')
            FROM unnest(conkey, confkey) AS columns (other, own)
            JOIN pg_attribute AS other ON other.attrelid = conrelid AND other.attnum = columns.other
            JOIN pg_attribute AS own ON own.attrelid = confrelid AND own.attnum = columns.own
          ) AS "rows"
        FROM pg_constraint JOIN ours ON ours.oid = confrelid
        WHERE contype = 'f' AND conparentid = 0 AND confdeltype IN ('a', 'r') AND conrelid NOT IN (SELECT oid FROM ours)`,
  );
}
