import type { EventRow } from './event.entity';
import type { EventTargetView, EventView } from './event.view';

export const serializeEvent = (event: EventRow): EventView => ({
  ...withoutData(event),
  data: event.data === null ? null : (JSON.parse(event.data) as EventView['data']),
});

/** An event as JSON text, whose data is not parsed for that. */
export const eventAsJson = (event: EventRow): string =>
  `${JSON.stringify(withoutData(event)).slice(0, -1)},"data":${event.data}}`;

/** The same as a line of NDJSON, without the other characters at which many readers end one. */
export const eventAsLine = (event: EventRow): string =>
  `${eventAsJson(event).replace(/[\u0085\u2028\u2029]/g, escaped)}\n`;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const withoutData = (event: EventRow): Omit<EventView, 'data'> => ({
  id: event.id,
  sequence: Number(event.sequence),
  type: event.type,
  occurredAt: event.occurredAt,
  source: event.source,
  actor: { type: event.actorId === null ? 'system' : 'token', id: event.actorId, name: event.actorName },
  target: { type: event.type.split('.')[0] as EventTargetView['type'], id: event.targetId },
  requestId: event.requestId,
  onBehalfOf: event.onBehalfOf,
});

/** An event as JSON text without anything personal: neither its data nor the person for whom the caller acts. */
export const thinEventAsJson = (event: EventRow): string =>
  JSON.stringify({ ...withoutData(event), onBehalfOf: undefined });
