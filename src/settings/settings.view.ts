/** What the operator of the service has set, as far as it concerns an organization. */
export class SettingsView {
  /**
   * The version of the service.
   * @example '2.3.1'
   */
  version: string;

  /**
   * The URL at which the service is reached, without a trailing slash; null if the operator has not set it.
   * @example 'https://users.example.com'
   */
  publicUrl: string | null;

  /**
   * The number of requests that a token without a limit of its own may make in a window of 60 seconds.
   * @example 1000
   */
  rateLimitPerMinute: number;

  /**
   * The number of days that a new token may live; null if it may live forever.
   * @example 90
   */
  tokenMaxDays: number | null;

  /**
   * Whether a PATCH or DELETE of a user must have an `If-Match` header.
   * @example false
   */
  requireIfMatch: boolean;

  /**
   * The number of days that events are kept.
   * @example 365
   */
  eventRetentionDays: number;

  /**
   * The number of days that a deleted user can be restored; 0 if deleted users are erased at once.
   * @example 30
   */
  deletedUsersRetentionDays: number;

  /**
   * Whether webhooks can be created.
   * @example true
   */
  webhooks: boolean;
}
