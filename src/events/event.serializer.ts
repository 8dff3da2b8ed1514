import type { EventRow } from './event.entity';
import type { EventTargetView, EventView } from './event.view';

/** An event, as every method of the services returns it and every response shows it. */
export type EventRecord = EventView;

export const serializeEvent = (event: EventRow): EventRecord => ({
  id: event.id,
  sequence: Number(event.sequence),
  type: event.type,
  occurredAt: event.occurredAt,
  source: event.source,
  actor: { type: event.actorId === null ? 'system' : 'token', id: event.actorId, name: event.actorName },
  target: { type: event.type.split('.')[0] as EventTargetView['type'], id: event.targetId },
  requestId: event.requestId,
  data: event.data as EventRecord['data'],
});
