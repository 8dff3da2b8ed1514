import type { DataSource } from 'typeorm';
import { placementsOf } from './citus/placements';
import type { Queryable } from './citus/cluster';
import { retryBroken } from './retry';
import { MIGRATIONS_TABLE, tableName } from './tables';

const TABLE_RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** The sequences of identity columns need no right of their own. */
const SEQUENCE = 'event_positions';

/** The rights that the service uses: with fewer, some requests fail. */
function neededOn(dataSource: DataSource): { names: string[]; rights: string[] } {
  const tables = Object.keys(placementsOf(dataSource));
  const needed = tables.flatMap((name) =>
    (name === MIGRATIONS_TABLE ? ['SELECT'] : TABLE_RIGHTS).map((right) => ({ name, right })),
  );
  needed.push({ name: SEQUENCE, right: 'USAGE' });
  return { names: needed.map(({ name }) => name), rights: needed.map(({ right }) => right) };
}

const holds = (role: string) =>
  `CASE relkind WHEN 'S' THEN has_sequence_privilege(${role}, pg_class.oid, "right") ELSE has_table_privilege(${role}, pg_class.oid, "right") END`;

/**
 * Grants the rights that the service needs to every role that has all four rights on `users` and `tokens`: such a role runs the
 * service, and lacks rights on what a migration has added. A role with fewer rights, such as one for reports, gets none. Only the
 * owner of the tables can grant.
 */
export async function grantToServiceRoles(runner: Queryable, dataSource: DataSource): Promise<void> {
  const { names, rights } = neededOn(dataSource);
  const grants: { sql: string }[] = await runner.query(
    `SELECT format('GRANT %s ON %s %I TO %I', "right", CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, name, role) AS sql
     FROM (SELECT rolname AS role, relnamespace AS namespace
           FROM pg_class CROSS JOIN aclexplode(relacl) JOIN pg_roles ON pg_roles.oid = grantee
           WHERE relname IN ('users', 'tokens') AND relnamespace = to_regnamespace(quote_ident(current_schema()))
             AND grantee <> relowner AND privilege_type = ANY ($3::text[])
           GROUP BY rolname, relnamespace HAVING count(DISTINCT (relname, privilege_type)) = 2 * cardinality($3::text[])) AS roles
     CROSS JOIN unnest($1::text[], $2::text[]) AS needed (name, "right")
     JOIN pg_class ON relname = name AND relnamespace = namespace
     WHERE NOT ${holds('role')} AND pg_has_role(relowner, 'USAGE')
     ORDER BY role, name, "right"`,
    [names, rights, TABLE_RIGHTS],
  );
  if (grants.length === 0) return;
  // Otherwise Citus refuses to change tables and those that they refer to on several connections.
  await runner.query(`SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true)`);
  for (const { sql } of grants) await runner.query(sql);
}

/** A right that the service's role lacks on a table or sequence that exists, such as `SELECT on events`. */
export async function missingRight(dataSource: DataSource): Promise<string | undefined> {
  const { names, rights } = neededOn(dataSource);
  const [missing]: { right: string }[] = await retryBroken(() =>
    dataSource.query(
      `SELECT "right" || ' on ' || name AS "right"
       FROM unnest($1::text[], $2::text[], $3::text[]) AS needed (name, "right", place)
       JOIN pg_class ON pg_class.oid = to_regclass(place)
       WHERE NOT ${holds('current_user')} LIMIT 1`,
      [names, rights, names.map((name) => tableName(dataSource, name))],
    ),
  );
  return missing?.right;
}
