import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The position of a subscriber in the events of an organization. */
@Entity('event_cursors')
export class EventCursor {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryColumn({ type: 'text' })
  subscriber: string;

  /** The last event that has been delivered. */
  @Column({ type: 'bigint', default: 0 })
  sequence: string;

  /** Counts the claims, so that a process whose claim has expired can no longer move the cursor. */
  @Column({ type: 'bigint', default: 0 })
  claim: string;

  /** How often the delivery of the next event has failed. */
  @Column({ type: 'integer', default: 0 })
  failures: number;

  /** When the next claim is possible: a claim and a pause postpone it. */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3, default: '-infinity' })
  dueAt: Date;
}
