import type { EntityManager } from 'typeorm';
import { newId } from '../database/id';
import { query, raw, type Sql, sql } from '../database/sql';
import { tableName } from '../database/tables';
import type { EventType } from '../events/event/event.types';
import { recordTokenEvent } from '../events/record-events';
import type { Caller } from '../http/caller';
import { conflict } from '../http/fault';
import { numberIn } from './durations';
import { Token } from './token.entity';
import { serializeToken } from './token.serializer';
import { hashOf, hintOf } from './token-value';

/** The fields of a new token. */
export type TokenFields = Pick<Token, 'name' | 'scopes'> &
  Partial<Pick<Token, 'expiresIn' | 'rateLimit' | 'createdBy' | 'rotatedFrom' | 'parentId' | 'windowId'>> & {
    /** The term of a token without `expiresIn`. */
    hours?: number;
    /** The token ends at this time at the latest. */
    endsBy?: Date | null;
  };

/**
 * Throws a 409 if the organization is being deleted: its tokens are deleted first. Not a condition of the insert, which
 * Citus refuses to plan. A token that is inserted meanwhile is deleted at the end, with the organization.
 */
export async function requireStaying(manager: EntityManager, { organizationId }: Caller): Promise<void> {
  const organizations = raw(tableName(manager.dataSource, 'organizations'));
  const deleting = sql`SELECT FROM ${organizations} WHERE id = ${organizationId} AND is_deleting`;
  if ((await query(manager, deleting)).length > 0)
    throw conflict('The organization is being deleted, so it gets no token.');
}

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

interface TokenUpdate {
  by: Caller;
  type: EventType;
  /** `SET … WHERE …` of one token. */
  update: Sql;
  /** Further members of the event's data. */
  data?: object;
}

/** Changes a token and records its event. Returns whether a token met the condition. */
export async function updateToken(
  manager: EntityManager,
  { by, type, update, data }: TokenUpdate,
): Promise<boolean> {
  const [changed] = await query<Pick<Token, 'id'>>(manager, sql`UPDATE ${Token} ${update} RETURNING id`);
  if (!changed) return false;
  const token = await manager.findOneByOrFail(Token, changed);
  await recordTokenEvent(manager, {
    by,
    type,
    targetId: token.id,
    data: { token: serializeToken(token), ...data },
  });
  return true;
}

/** Ends a token when the overlap is over, unless it ends sooner. No warning is recorded for this end. */
export async function endToken(
  manager: EntityManager,
  { organizationId, id }: Token,
  hours: number,
): Promise<void> {
  const end = sql`now() + ${hours}::integer * interval '1 hour'`;
  await query(
    manager,
    sql`UPDATE ${Token}
        SET expires_at = least(expires_at, ${end}),
          warned_days = least(warned_days, nullif((expires_at > ${end})::integer, 0)) -- a cluster refuses the clock in CASE
          ${hours === 0 ? sql`, revoked_at = now()` : sql``}
        WHERE organization_id = ${organizationId} AND id = ${id}`,
  );
}
