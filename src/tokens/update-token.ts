import type { EntityManager } from 'typeorm';
import { query, type Sql, sql } from '../database/sql';
import type { EventType } from '../events/event/event.types';
import { recordTokenEvent } from '../events/record-events';
import type { Caller } from '../http/caller';
import { Token } from './token.entity';
import { serializeToken } from './token.serializer';

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
