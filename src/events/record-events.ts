import type { EntityManager } from 'typeorm';
import { newId } from '../database/id';
import { execute, rowsOf, sql } from '../database/sql';
import type { Caller } from '../http/caller';
import { Event, TokenEvent } from './event/event.entity';
import type { EventType } from './event/event.types';

/** An event, written in the transaction of the change that it describes. */
export interface NewEvent {
  by: Caller;
  type: EventType;
  targetId: string;
  /** The target after the change, and on an update `previous`. Null for a user who has been purged. */
  data: object | null;
}

/** Records events in the transaction of their changes, so that neither is ever without the other. */
export const recordEvents = (manager: EntityManager, ...events: NewEvent[]): Promise<void> =>
  insert(manager, Event, events);

/** The same for an event of a token, which is moved to the other events before these are read. */
export const recordTokenEvent = (manager: EntityManager, event: NewEvent): Promise<void> =>
  insert(manager, TokenEvent, [event]);

async function insert(
  manager: EntityManager,
  entity: typeof Event | typeof TokenEvent,
  events: NewEvent[],
): Promise<void> {
  const rows = events.map(({ by: { organizationId, source, actor, requestId }, type, targetId, data }) => [
    organizationId,
    newId('evt'),
    type,
    source,
    actor.id,
    actor.name,
    targetId,
    requestId,
    data && JSON.stringify(data),
  ]);
  await execute(
    manager,
    sql`INSERT INTO ${entity}
          (organization_id, id, type, source, actor_id, actor_name, target_id, request_id, data)
        VALUES ${rowsOf(rows)}`,
  );
}
