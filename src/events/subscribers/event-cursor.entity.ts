import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Claimable } from '../../platform/database/claims';

/** The position of a subscriber in the events of an organization. */
@Entity('event_cursors')
export class EventCursor extends Claimable {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryColumn({ type: 'text' })
  subscriber: string;

  /** The last event that has been delivered. */
  @Column({ type: 'bigint', default: 0 })
  sequence: string;

  /** How often the delivery of the next event has failed. */
  @Column({ type: 'integer', default: 0 })
  failures: number;

  /** When the next event may be delivered: a failure postpones it. */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3, default: '-infinity' })
  dueAt: Date;
}

/** A subscriber that has been registered, so it gets all events from then on. */
@Entity('event_subscribers')
export class EventSubscriber {
  @PrimaryColumn({ type: 'text' })
  name: string;
}
