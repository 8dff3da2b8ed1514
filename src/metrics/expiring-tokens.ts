import type { DataSource } from 'typeorm';
import { query, sql } from '../database/sql';
import { IN_STATE, Token } from '../tokens/token.entity';

/** A token counts as expiring for this many days before its end. */
export const WARNING_DAYS = 14;

/** The number of active tokens that expire within `WARNING_DAYS`. */
export async function countExpiringTokens({ manager }: DataSource): Promise<number> {
  const [{ count }] = await query<{ count: number }>(
    manager,
    sql`SELECT count(*)::integer AS count FROM ${Token}
        WHERE ${IN_STATE.active} AND expires_at <= now() + ${WARNING_DAYS} * interval '24 hours'`,
  );
  return count;
}
