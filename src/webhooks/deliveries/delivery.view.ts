import { PageView } from '../../platform/pages/page';

/** An event that is sent to a webhook. */
export class DeliveryView {
  /**
   * Assigned by the service: `dlv_` and 26 letters and digits.
   * @example 'dlv_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  id: string;

  /**
   * The id of the event, which is also the `webhook-id` of each attempt.
   * @example 'evt_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  eventId: string;

  /**
   * The type of the event.
   * @example 'user.created'
   */
  type: string;

  /**
   * `failed` after the last attempt, after a 410, or when the webhook was disabled.
   * @example 'pending'
   */
  state: 'pending' | 'delivered' | 'failed';

  /**
   * How often it has been sent; at most ten times.
   * @example 1
   */
  attempts: number;

  /**
   * The status of the last attempt's response; null if there was none.
   * @example 503
   */
  lastStatus: number | null;

  /**
   * Why the last attempt had no success: `status`: its status is not 2xx; `dns`: the name has no address; `address`:
   * a webhook may not reach it; `refused`: nobody accepts connections; `tls`: no TLS, or no valid certificate; `reset`:
   * the connection ended without a response; `timeout`: no response within 15 seconds; `protocol`: the response is
   * not HTTP. Null after a success, before the first attempt, and if the event has been removed.
   * @example 'status'
   */
  lastError: 'status' | 'dns' | 'refused' | 'reset' | 'timeout' | 'tls' | 'address' | 'protocol' | null;

  /**
   * How many milliseconds the last attempt took, until the status of its response or its end without one; null if there
   * was none.
   * @example 142
   */
  lastDurationMs: number | null;

  /**
   * When it will be sent next; null if it will not be.
   * @example '2026-01-31T09:30:05.000Z'
   */
  nextAttemptAt: Date | null;

  /**
   * When it was due for the first time.
   * @example '2026-01-31T09:30:00.000Z'
   */
  createdAt: Date;
}

/** A page of deliveries. */
export class DeliveryPageView extends PageView {
  /** The deliveries of this page. */
  data: DeliveryView[];
}

/** Work that has been started and continues after the response. */
export class AcceptedView {
  /**
   * The id of the event that is sent; null for a range of events.
   * @example 'evt_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  eventId: string | null;
}
