import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnsOf } from '../../database/columns';

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

/** The fields of a delivery that callers see. */
const DELIVERY_FIELDS = [
  'id',
  'eventId',
  'type',
  'state',
  'attempts',
  'lastStatus',
  'nextAttemptAt',
  'createdAt',
] as const;
export type DeliveryFields = Pick<WebhookDelivery, (typeof DELIVERY_FIELDS)[number]>;

/** Their columns in a SELECT, under the names of the entity. */
export const DELIVERY_COLUMNS = columnsOf(WebhookDelivery, DELIVERY_FIELDS).select;
