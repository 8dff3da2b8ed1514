import type { Caller } from '../http/caller';
import type { EventType } from './event.types';
import type { EventView } from './event.view';

/** An event, as every method of the services returns it and every response shows it. */
export type EventRecord = EventView;

/** A row of `EVENT_COLUMNS`. */
export interface EventRow {
  id: string;
  /** As text, because the driver reads a bigint so. */
  sequence: string;
  type: EventType;
  occurredAt: Date;
  source: Caller['source'];
  actorId: string | null;
  actorName: string;
  targetId: string;
  requestId: string | null;
  data: EventData | null;
}

/** What an event keeps: its user without the times that only the database's clock knew. */
type EventData = Record<string, unknown> & { user?: Record<string, unknown> };

export const EVENT_COLUMNS = `id, sequence, type, occurred_at AS "occurredAt", source, actor_id AS "actorId",
  actor_name AS "actorName", target_id AS "targetId", request_id AS "requestId", data`;

export const recordOf = (row: EventRow): EventRecord => ({
  id: row.id,
  sequence: Number(row.sequence),
  type: row.type,
  occurredAt: row.occurredAt,
  source: row.source,
  actor: { type: row.actorId === null ? 'system' : 'token', id: row.actorId, name: row.actorName },
  target: { type: row.type.split('.')[0] as 'user' | 'token', id: row.targetId },
  requestId: row.requestId,
  data: row.data && withTimes(row.data, row),
});

/**
 * The statement that wrote a user took the time of its event for `updatedAt`, unless the user had a later one already, and for
 * `createdAt` of a new user.
 */
function withTimes(data: EventData, { type, occurredAt }: EventRow): EventData {
  if (!data.user || type === 'user.deleted') return data;
  const time = occurredAt.toISOString();
  const { createdAt = time, updatedAt = time } = data.user as { createdAt?: string; updatedAt?: string };
  return { ...data, user: { ...data.user, createdAt, updatedAt: updatedAt > time ? updatedAt : time } };
}
