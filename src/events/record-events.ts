import type { EntityManager } from 'typeorm';
import { newId } from '../platform/database/id';
import { insertSql } from '../platform/database/columns';
import { executeWithNext, type Sql } from '../platform/database/sql';
import type { Caller } from '../platform/http/caller';
import { Event, TokenEvent } from './event/event.entity';
import type { EventType } from './event/event.types';

/** An event, written in the transaction of the change that it describes. */
export interface NewEvent {
  by: Caller;
  type: EventType;
  targetId: string;
  /**
   * The target after the change, and on an update `previous`; an expression if it is JSON text already. Null for a user
   * who has been purged.
   */
  data: object | Sql | null;
}

/** Records events in the transaction of their changes, so that neither is ever without the other. */
export const recordEvents = (manager: EntityManager, ...events: NewEvent[]): Promise<void> =>
  insert(manager, Event, events);

/** Records an event of a token, which is moved to the other events before these are read. */
export const recordTokenEvent = (manager: EntityManager, event: NewEvent): Promise<void> =>
  insert(manager, TokenEvent, [event]);

async function insert(
  manager: EntityManager,
  entity: new () => Event | TokenEvent,
  events: NewEvent[],
): Promise<void> {
  const rows = events.map(({ by, type, targetId, data }) => ({
    organizationId: by.organizationId,
    id: newId('evt'),
    type,
    source: by.source,
    actorId: by.actor.id,
    actorName: by.actor.name,
    targetId,
    requestId: by.requestId,
    onBehalfOf: by.onBehalfOf ?? null,
    data,
  }));
  await executeWithNext(manager, insertSql(entity, rows));
}
