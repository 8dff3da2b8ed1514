import type { Database } from '../platform/database/database';
import { type Sql, sql } from '../platform/database/sql';
import { Organization } from './organization.entity';

/** Whether the organization with this id, a column or a value, is suspended. */
export const suspendedSql = (id: Sql): Sql =>
  sql`EXISTS (SELECT FROM ${Organization} AS organizations WHERE organizations.id = ${id} AND organizations.suspended)`;

/** When the organization with this id was last resumed, or null. */
export const resumedAtSql = (id: Sql): Sql =>
  sql`(SELECT resumed_at FROM ${Organization} AS organizations WHERE organizations.id = ${id})`;

/** Whether all of these organizations that exist are suspended. */
export async function areSuspended(database: Database, ids: readonly string[]): Promise<boolean> {
  const [row] = await database.readAll<{ areSuspended: boolean }>(
    sql`SELECT coalesce(bool_and(suspended), false) AS "areSuspended" FROM ${Organization} WHERE id = ANY (${ids})`,
  );
  return row.areSuspended;
}
