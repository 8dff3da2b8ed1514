import type { Database } from '../../platform/database/database';
import { sql } from '../../platform/database/sql';
import { IN_STATE, Token } from '../../tokens/token/token.entity';

/** A token counts as expiring for this many days before its end. */
export const WARNING_DAYS = 14;

/** The number of active tokens that expire within `WARNING_DAYS`, without those that last for hours by design. */
export async function countExpiringTokens(database: Database): Promise<number> {
  const [{ count }] = await database.readAll<{ count: number }>(
    sql`SELECT count(*)::integer AS count FROM ${Token}
        WHERE created_by IS NULL AND parent_id IS NULL AND ${IN_STATE.active} AND expires_at <= now() + ${WARNING_DAYS} * interval '24 hours'`,
  );
  return count;
}
