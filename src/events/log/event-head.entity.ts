import { Column, Entity, type EntityManager, PrimaryColumn } from 'typeorm';

/** The numbers of an organization's events. Numbering locks it first, removing events locks it last. */
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

/** The number of the organization's last event; 0 if it has none. */
export async function lastSequence(manager: EntityManager, organizationId: string): Promise<string> {
  const head = await manager.findOneBy(EventHead, { organizationId });
  return head?.sequence ?? '0';
}
