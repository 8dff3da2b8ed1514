import type { BackgroundOptions } from './background/background';
import type { DatabaseOptions } from './database/database.module';
import type { EventRetentionOptions } from './events/log/event-retention';
import type { SubscribersOptions } from './events/subscribers/subscriber';
import type { RateLimitOptions } from './rate-limit/rate-limit.options';
import type { SignInOptions } from './sign-in/sign-in.options';
import type { DeletedUsersOptions } from './users/deleted/deleted-user-retention';
import type { UsersOptions } from './users/users.controller';
import type { WebhooksOptions } from './webhooks/webhooks.options';

export interface ServiceOptions
  extends
    DatabaseOptions,
    RateLimitOptions,
    UsersOptions,
    DeletedUsersOptions,
    BackgroundOptions,
    EventRetentionOptions,
    SubscribersOptions,
    WebhooksOptions,
    SignInOptions {}

/** The defaults of the environment variables and of a host application. */
export const DEFAULTS: Omit<ServiceOptions, 'connections'> = {
  rateLimitPerMinute: 1000,
  rateLimitStorage: 'postgres',
  background: true,
  requireIfMatch: false,
  eventRetentionDays: 365,
  deletedUsersRetentionDays: 30,
  dashboard: true,
  webhooks: {},
};
