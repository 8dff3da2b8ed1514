import { Column, Entity, PrimaryColumn } from 'typeorm';
import { suspendedSql } from '../../organizations/suspension';
import { Claimable } from '../../platform/database/claims';
import { columnsOf } from '../../platform/database/columns';
import { raw } from '../../platform/database/sql';
import type { EventType } from '../../events/event/event.types';
import type { DeliveryError } from '../address/delivery-error';

export const PAYLOADS = ['full', 'thin'] as const;
export const ORDERINGS = ['none', 'organization'] as const;

/** Why the service has disabled a webhook: its receiver is gone, or has failed for too long. */
export type DisabledReason = 'gone' | 'failing';

@Entity('webhooks')
export class Webhook extends Claimable {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryColumn({ type: 'text' })
  id: string;

  @Column({ type: 'text' })
  url: string;

  @Column({ type: 'text', array: true })
  types: (EventType | '*')[];

  @Column({ type: 'text', nullable: true })
  description: string | null;

  @Column({ type: 'boolean' })
  enabled: boolean;

  @Column({ type: 'text' })
  payload: (typeof PAYLOADS)[number];

  @Column({ type: 'text' })
  ordering: (typeof ORDERINGS)[number];

  @Column({ name: 'disabled_reason', type: 'text', nullable: true })
  disabledReason: DisabledReason | null;

  /** Encrypted; begins with the id of its key. */
  @Column({ type: 'text', select: false })
  secret: string;

  /** The secret before the last rotation, which also signs until the overlap is over. */
  @Column({ name: 'previous_secret', type: 'text', nullable: true, select: false })
  previousSecret: string | null;

  @Column({ name: 'previous_until', type: 'timestamptz', precision: 3, nullable: true })
  previousUntil: Date | null;

  /** The last event for which deliveries have been created. */
  @Column({ type: 'bigint' })
  sequence: string;

  /** Whether its quota of deliveries is used up, so that no more are created. */
  @Column({ name: 'is_full', type: 'boolean', default: false })
  isFull: boolean;

  /** The next attempt of any delivery. */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3, default: 'infinity' })
  dueAt: Date;

  /** Nothing is sent before this time, at the receiver's request. */
  @Column({ name: 'blocked_until', type: 'timestamptz', precision: 3, default: '-infinity' })
  blockedUntil: Date;

  /** The first failure since the last success. */
  @Column({ name: 'failing_since', type: 'timestamptz', precision: 3, nullable: true })
  failingSince: Date | null;

  /** The delivery that failed then. */
  @Column({ name: 'failing_delivery', type: 'text', nullable: true })
  failingDelivery: string | null;

  /** Whether other deliveries have failed since. */
  @Column({ name: 'failing_others', type: 'boolean', default: false })
  failingOthers: boolean;

  /** Why the last attempt had no success. Not for callers, who see it in the deliveries. */
  @Column({ name: 'last_error', type: 'text', nullable: true })
  lastError: DeliveryError | null;

  /** Whether the last response of a success took long. */
  @Column({ name: 'is_slow', type: 'boolean', default: false })
  isSlow: boolean;

  @Column({ name: 'last_success_at', type: 'timestamptz', precision: 3, nullable: true })
  lastSuccessAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}

/**
 * The state of a receiver during a turn: it answers in time, or it fails or is slow, so that few connections are left
 * to it, or nothing more is sent to it in this turn.
 */
export type ReceiverState = 'sending' | 'struggling' | 'done';

export const stateOf = ({ failingSince, isSlow }: Webhook): ReceiverState =>
  failingSince !== null || isSlow ? 'struggling' : 'sending';

export const STRUGGLING_SQL = raw('(failing_since IS NOT NULL OR is_slow)');

/** Whether its organization is suspended, so that nothing is sent, in a statement that names the table `webhooks`. */
export const SUSPENDED_SQL = suspendedSql(raw('webhooks.organization_id'));

/** The fields of a webhook that callers see. */
export const WEBHOOK_FIELDS = [
  'id',
  'url',
  'types',
  'description',
  'enabled',
  'payload',
  'ordering',
  'disabledReason',
  'createdAt',
  'updatedAt',
  'lastSuccessAt',
  'failingSince',
] as const;
export type WebhookFields = Pick<Webhook, (typeof WEBHOOK_FIELDS)[number]>;

/** Their columns in a SELECT, under the names of the entity. */
export const WEBHOOK_COLUMNS = columnsOf(Webhook, WEBHOOK_FIELDS).select;
