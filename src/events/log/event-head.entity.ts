import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The numbers of an organization's events. Numbering and removing events lock it, so they take turns. */
@Entity('event_heads')
export class EventHead {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  /** The last number. */
  @Column({ type: 'bigint', default: 0 })
  sequence: string;

  /** The number of the last event that has been removed. */
  @Column({ type: 'bigint', default: 0 })
  removed: string;
}
