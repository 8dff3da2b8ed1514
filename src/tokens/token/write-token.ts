import type { EntityManager } from 'typeorm';
import { insertSql } from '../../platform/database/columns';
import { newId } from '../../platform/database/id';
import { execute, query, raw, type Sql, sql } from '../../platform/database/sql';
import { tableName } from '../../platform/database/tables';
import type { EventType } from '../../events/event/event.types';
import { recordTokenEvent } from '../../events/record-events';
import type { Caller } from '../../platform/http/caller';
import { conflict } from '../../platform/http/fault';
import { canonicalNetwork } from './allowed-networks';
import { numberIn } from './durations';
import { Token } from './token.entity';
import { actsForOperator } from './token-limits';
import { serializeToken } from './token.serializer';
import { hashOf, hintOf } from './token-value';

/** The fields of a new token. */
export type TokenFields = Pick<Token, 'name' | 'scopes'> &
  Partial<
    Pick<
      Token,
      'expiresIn' | 'rateLimit' | 'allowedNetworks' | 'createdBy' | 'rotatedFrom' | 'parentId' | 'windowId'
    >
  > & {
    /** The term of a token without `expiresIn`. */
    hours?: number;
    /** The token ends at this time at the latest. */
    endsBy?: Date | null;
  };

/**
 * Throws a 409 for the operator if the organization is being deleted: its tokens are deleted first. Not a condition of
 * the insert, which Citus refuses to plan. A token that is inserted meanwhile is deleted at the end, with the
 * organization.
 */
export async function requireStaying(manager: EntityManager, caller: Caller): Promise<void> {
  if (!actsForOperator(caller)) return;
  const organizations = raw(tableName(manager.dataSource, 'organizations'));
  const deleting = sql`SELECT FROM ${organizations} WHERE id = ${caller.organizationId} AND is_deleting`;
  if ((await query(manager, deleting)).length > 0)
    throw conflict('The organization is being deleted, so it gets no token.');
}

export async function insertToken(
  manager: EntityManager,
  caller: Caller,
  { hours, endsBy = null, ...fields }: TokenFields,
  value: string,
): Promise<Token> {
  // In hours on the database's clock, because a day of its time zone can have 23 hours.
  const term = fields.expiresIn ? numberIn(fields.expiresIn) * 24 : (hours ?? null);
  const id = newId('tok');
  const row = {
    ...fields,
    allowedNetworks: fields.allowedNetworks?.map((network) => canonicalNetwork(network)!) ?? null,
    organizationId: caller.organizationId,
    id,
    hint: hintOf(value),
    hash: hashOf(value),
    expiresAt: sql`least(now() + ${term}::integer * interval '1 hour', ${endsBy}::timestamptz)`,
    warnedDays: fields.parentId ? 0 : null, // the end of a child is no event, so none is due
  };
  await execute(manager, insertSql(Token, [row]));
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
  const ownRow = sql`organization_id = ${organizationId} AND id = ${id}`;
  // As if the warning a day before had been recorded, so that only the end itself is still to be recorded.
  await execute(
    manager,
    sql`UPDATE ${Token} SET warned_days = least(warned_days, 1) WHERE ${ownRow} AND expires_at > ${end}`,
  );
  const revoked = hours === 0 ? sql`, revoked_at = now()` : sql``;
  await execute(
    manager,
    sql`UPDATE ${Token} SET expires_at = least(expires_at, ${end}) ${revoked} WHERE ${ownRow}`,
  );
}
