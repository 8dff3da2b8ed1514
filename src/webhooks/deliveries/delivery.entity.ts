import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnsOf } from '../../platform/database/columns';
import type { DeliveryError } from '../address/delivery-error';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

/** The type of test events, which are not in the feed. */
export const TEST_TYPE = 'webhook.test';

/** An event that is sent to a webhook. It has the id of the event but no copy, so it contains no personal data. */
@Entity('webhook_deliveries')
export class WebhookDelivery {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryColumn({ type: 'text' })
  id: string;

  @Column({ name: 'webhook_id', type: 'text' })
  webhookId: string;

  @Column({ name: 'event_id', type: 'text' })
  eventId: string;

  /** Null for a test. */
  @Column({ type: 'bigint', nullable: true })
  sequence: string | null;

  @Column({ type: 'text' })
  type: string;

  /** True for a test and a repetition, which are outside the order of the events. */
  @Column({ name: 'is_beside', type: 'boolean' })
  isUnordered: boolean;

  @Column({ type: 'text', default: 'pending' })
  state: (typeof DELIVERY_STATES)[number];

  @Column({ type: 'integer', default: 0 })
  attempts: number;

  @Column({ name: 'last_status', type: 'integer', nullable: true })
  lastStatus: number | null;

  /** Null after a success. */
  @Column({ name: 'last_error', type: 'text', nullable: true })
  lastError: DeliveryError | null;

  @Column({ name: 'last_duration_ms', type: 'integer', nullable: true })
  lastDurationMs: number | null;

  @Column({
    name: 'next_attempt_at',
    type: 'timestamptz',
    precision: 3,
    nullable: true,
    default: () => 'now()',
  })
  nextAttemptAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}

/** The columns of the fields that callers see, in a SELECT under the names of the entity. */
export const DELIVERY_COLUMNS = columnsOf(WebhookDelivery, [
  'id',
  'eventId',
  'type',
  'state',
  'attempts',
  'lastStatus',
  'lastError',
  'lastDurationMs',
  'nextAttemptAt',
  'createdAt',
]).select;

/** A range of events to send again. */
@Entity('webhook_replays')
export class WebhookReplay {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryColumn({ type: 'text' })
  id: string;

  @Column({ name: 'webhook_id', type: 'text' })
  webhookId: string;

  @Column({ type: 'timestamptz', precision: 3 })
  since: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  until: Date | null;

  /** The last event that has been read, by the order of ids. */
  @Column({ name: 'last_id', type: 'text', default: '' })
  lastId: string;

  /** The number of the last event that had one when the range was requested. */
  @Column({ type: 'bigint' })
  last: string;
}
