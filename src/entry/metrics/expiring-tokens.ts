import type { Database } from '../../platform/database/database';
import { sql } from '../../platform/database/sql';
import { IN_STATE, Token } from '../../tokens/token/token.entity';

/** A token counts as expiring for this many days before its end. */
export const WARNING_DAYS = 14;

/** A token counts as in use for this many days after its last use. */
export const IN_USE_DAYS = 30;

/**
 * The number of active tokens that expire within `WARNING_DAYS`, without those that last for hours by design, and how
 * many of these are in use.
 */
export async function countExpiringTokens(database: Database): Promise<{ all: number; inUse: number }> {
  const [counts] = await database.readAll<{ all: number; inUse: number }>(
    sql`SELECT count(*)::integer AS "all",
          count(*) FILTER (WHERE last_used_at > now() - ${IN_USE_DAYS} * interval '24 hours')::integer AS "inUse"
        FROM ${Token}
        WHERE created_by IS NULL AND parent_id IS NULL AND ${IN_STATE.active} AND expires_at <= now() + ${WARNING_DAYS} * interval '24 hours'`,
  );
  return counts;
}
