import { Column, Entity, PrimaryColumn } from 'typeorm';

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
