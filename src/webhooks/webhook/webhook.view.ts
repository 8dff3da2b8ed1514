import { PageView } from '../../platform/pages/page';

/** A webhook, without its secret. */
export class WebhookView {
  /**
   * Assigned by the service: `whk_` and 26 letters and digits.
   * @example 'whk_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  id: string;

  /**
   * Where events are sent.
   * @example 'https://example.com/webhooks/users'
   */
  url: string;

  /**
   * The types of the events that are sent, or `*` for all.
   * @example ["user.created", "user.deleted"]
   */
  types: string[];

  /**
   * A label for people; null if none was given.
   * @example 'The mailing list'
   */
  description: string | null;

  /**
   * Whether events are sent. Events that happen while it is false are not sent later.
   * @example true
   */
  enabled: boolean;

  /**
   * Whether events are sent in full, or without `data` and `onBehalfOf`.
   * @example 'full'
   */
  payload: 'full' | 'thin';

  /**
   * Whether the next event is sent only when the one before it has been delivered or given up.
   * @example 'none'
   */
  ordering: 'none' | 'organization';

  /**
   * Why the service has disabled it: `gone` after a 410, `failing` after five days of failures; null if it has not.
   * @example null
   */
  disabledReason: string | null;

  /**
   * When the webhook was created.
   * @example '2026-01-31T09:30:00.000Z'
   */
  createdAt: Date;

  /**
   * When its settings were last changed.
   * @example '2026-01-31T09:30:00.000Z'
   */
  updatedAt: Date;

  /**
   * When an event was last delivered; null if none has been.
   * @example '2026-01-31T09:30:00.000Z'
   */
  lastSuccessAt: Date | null;

  /**
   * When the first delivery since then failed; null if none has failed.
   * @example null
   */
  failingSince: Date | null;
}

/** A webhook with a new secret, which is shown only once. */
export class NewWebhookView extends WebhookView {
  /**
   * The secret that signs deliveries, which is shown only here.
   * @example 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='
   */
  secret: string;
}

/** A page of webhooks. */
export class WebhookPageView extends PageView {
  /** The webhooks of this page. */
  data: WebhookView[];
}
