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

  /** The last event for which deliveries have been created. */
  @Column({ type: 'bigint' })
  sequence: string;

  /** The last event of the range. */
  @Column({ type: 'bigint' })
  last: string;
}
