import { Entity, PrimaryColumn } from 'typeorm';

/** A subscriber that has been registered, so it gets all events from then on. */
@Entity('event_subscribers')
export class EventSubscriber {
  @PrimaryColumn({ type: 'text' })
  name: string;
}
