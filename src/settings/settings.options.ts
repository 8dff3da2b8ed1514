import type { EventRetentionOptions } from '../events/log/event-retention';
import type { TokenIssuersOptions } from '../oauth/token-issuers';
import type { RateLimitOptions } from '../platform/rate-limit/rate-limit.options';
import type { TokensOptions } from '../tokens/token/token-limits';
import type { DeletedUsersOptions } from '../users/deleted/user-purge';
import type { UsersOptions } from '../users/users.controller';
import type { WebhooksOptions } from '../webhooks/webhooks.options';

/** What the settings of an organization are made of. */
export interface SettingsOptions
  extends
    RateLimitOptions,
    TokensOptions,
    UsersOptions,
    EventRetentionOptions,
    DeletedUsersOptions,
    WebhooksOptions,
    TokenIssuersOptions {
  /** The URL at which the service is reached, without a trailing slash. Default: the audience of assertions. */
  publicUrl?: string;
}
