import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OnCluster } from '../../platform/database/citus/placements';
import { columnsOf, shortText } from '../../platform/database/columns';
import { raw, sql } from '../../platform/database/sql';
import type { Source } from '../../platform/http/wire-format';
import type { EventType } from './event.types';

/** The columns of `Event` and of `TokenEvent`. */
abstract class RecordedEvent {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @Column({ type: 'text' })
  type: EventType;

  @Column({ name: 'occurred_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  occurredAt: Date;

  @Column({ type: 'text' })
  source: Source;

  /** Null for a program. */
  @Column({ name: 'actor_id', type: 'text', nullable: true })
  actorId: string | null;

  @Column({ name: 'actor_name', type: 'text' })
  actorName: string;

  @Column({ name: 'target_id', type: 'text' })
  targetId: string;

  @Column({ name: 'request_id', type: 'text', nullable: true })
  requestId: string | null;

  /** For whom the caller says that it has acted. */
  @Column({ name: 'on_behalf_of', type: 'text', nullable: true })
  onBehalfOf: string | null;
}

@Entity('events')
export class Event extends RecordedEvent {
  @PrimaryColumn({ type: 'text' })
  id: string;

  /** Counts the insertions, so that the events of one target are in the order of its changes. */
  @Column({ type: 'bigint', default: () => `nextval('event_positions')` })
  position: string;

  /** The number that readers see; null until the first of them numbers what has been committed. */
  @Column({ type: 'bigint', nullable: true })
  sequence: string | null;

  /** Null once its user has been purged. */
  @Column({ type: 'json', nullable: true })
  data: object | null;
}

/**
 * An event of a token, until it is moved to the other events. It waits beside the tokens, which on a cluster are on the
 * coordinator, so that a token can be revoked whichever node is down.
 */
@Entity('token_events')
@OnCluster('local')
export class TokenEvent extends RecordedEvent {
  @PrimaryColumn({ type: 'bigint', default: () => `nextval('event_positions')` })
  position: string;

  @Column({ type: 'text' })
  id: string;

  @Column({ type: 'json' })
  data: object;
}

/** The fields of an event that readers see, but for its data. */
const EVENT_FIELDS = [
  'id',
  'sequence',
  'type',
  'occurredAt',
  'source',
  'actorId',
  'actorName',
  'targetId',
  'requestId',
  'onBehalfOf',
] as const;
const FIELDS = columnsOf(Event, EVENT_FIELDS).select;

/** An event as it is read. Its data is text: parsed JSON takes up to twenty times as much memory. */
export type EventRow = Pick<Event, (typeof EVENT_FIELDS)[number]> & { data: string | null };
export const EVENT_COLUMNS = sql`${FIELDS}, data::text AS data`;

/** Without data that is not short, so that a page has a bound. The data of a purged user is the text `null`. */
export const SHORT_EVENT_COLUMNS = sql`${FIELDS}, CASE WHEN data IS NULL THEN 'null' ELSE ${raw(shortText('data'))} END AS data`;
