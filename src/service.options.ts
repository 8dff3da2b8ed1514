import type { BackgroundOptions } from './background/background.module';
import type { EventsOptions } from './events/events.module';
import type { RateLimitOptions } from './rate-limit/rate-limit.module';
import type { SignInOptions } from './sign-in/sign-in.options';
import type { UsersOptions } from './users/users.module';
import type { WebhooksOptions } from './webhooks/webhooks.module';

export interface ServiceOptions
  extends RateLimitOptions, UsersOptions, BackgroundOptions, EventsOptions, WebhooksOptions, SignInOptions {
  /** Connections of the pool that requests may hold at once. Default: all of the pool. */
  connections?: number;
}

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
