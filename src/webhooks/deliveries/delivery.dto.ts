import { Id, Instant, OneOf, Optional } from '../../platform/http/input/checks';
import { PageQuery } from '../../platform/pages/page';
import { DELIVERY_STATES } from './delivery.entity';

/** A test has no settings. */
export class SendTestDto {}

export class RedeliverDto {
  /**
   * The id of one event, which is sent whatever the types of the webhook.
   * @example 'evt_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  @Optional()
  @Id('evt')
  eventId?: string;

  /**
   * Instead of one event: all events from this time on whose types match.
   * @example '2026-01-31T09:30:00.000Z'
   */
  @Optional()
  @Instant()
  since?: string;

  /**
   * Only what happened before this time. The default is now.
   * @example '2026-02-01T00:00:00.000Z'
   */
  @Optional()
  @Instant()
  until?: string;
}

export class ListDeliveriesDto extends PageQuery {
  /**
   * Only deliveries in this state.
   * @example 'failed'
   */
  @Optional()
  @OneOf(DELIVERY_STATES)
  state?: (typeof DELIVERY_STATES)[number];
}
