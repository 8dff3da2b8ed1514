import type { EntityManager } from 'typeorm';
import { newId } from '../database/id';
import { query, sql } from '../database/sql';
import type { Caller } from '../http/caller';
import { numberIn } from './durations';
import { Token } from './token.entity';
import { hashOf, hintOf } from './token-value';

/** The fields of a new token. */
export type TokenFields = Pick<Token, 'name' | 'scopes'> &
  Partial<Pick<Token, 'expiresIn' | 'rateLimit' | 'createdBy' | 'rotatedFrom' | 'parentId' | 'windowId'>> & {
    /** The term of a token without `expiresIn`. */
    hours?: number;
    /** The token ends at this time at the latest. */
    endsBy?: Date | null;
  };

export async function insertToken(
  manager: EntityManager,
  { organizationId }: Caller,
  fields: TokenFields,
  value: string,
): Promise<Token> {
  const { name, scopes, expiresIn = null, rateLimit = null, createdBy = null, rotatedFrom = null } = fields;
  const { parentId = null, windowId = null, endsBy = null } = fields;
  // In hours on the database's clock, because a day of its time zone can have 23 hours.
  const hours = expiresIn === null ? (fields.hours ?? null) : numberIn(expiresIn) * 24;
  const id = newId('tok');
  // The end of a child is no event, so none is due.
  const warnedDays = parentId === null ? null : 0;
  await query(
    manager,
    sql`INSERT INTO ${Token} (id, organization_id, name, hint, scopes, expires_in, hash, expires_at, rotated_from, rate_limit,
          created_by, parent_id, window_id, warned_days)
        VALUES (${id}, ${organizationId}, ${name}, ${hintOf(value)}, ${scopes}, ${expiresIn}, ${hashOf(value)},
          least(now() + ${hours}::integer * interval '1 hour', ${endsBy}::timestamptz), ${rotatedFrom}, ${rateLimit},
          ${createdBy}, ${parentId}, ${windowId}, ${warnedDays}::integer)`,
  );
  return manager.findOneByOrFail(Token, { id });
}
