import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Caller } from '../http/caller';
import type { EventType } from './event.types';

/**
 * An event of a token, until it is moved to the other events. It waits beside the tokens, which on a cluster are on the
 * coordinator, so that a token can be revoked whichever node is down.
 */
@Entity('token_events')
export class TokenEvent {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryColumn({ type: 'bigint', default: () => `nextval('event_positions')` })
  position: string;

  @Column({ type: 'text' })
  id: string;

  @Column({ type: 'text' })
  type: EventType;

  @Column({ name: 'occurred_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  occurredAt: Date;

  @Column({ type: 'text' })
  source: Caller['source'];

  @Column({ name: 'actor_id', type: 'text', nullable: true })
  actorId: string | null;

  @Column({ name: 'actor_name', type: 'text' })
  actorName: string;

  @Column({ name: 'target_id', type: 'text' })
  targetId: string;

  @Column({ name: 'request_id', type: 'text', nullable: true })
  requestId: string | null;

  @Column({ type: 'json' })
  data: object;
}
