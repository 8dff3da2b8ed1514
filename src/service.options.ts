import type { BackgroundOptions } from './background/background.module';
import type { EventsOptions } from './events/events.module';
import type { LeaksOptions } from './leaks/leaks.module';
import type { RateLimitOptions } from './rate-limit/rate-limit.module';
import type { UsersOptions } from './users/users.module';

export interface ServiceOptions
  extends RateLimitOptions, UsersOptions, BackgroundOptions, EventsOptions, LeaksOptions {
  /** Whether the developer dashboard is served, at `/dashboard`. */
  dashboard: boolean;
  /** Connections of the pool that requests may hold at once. Default: all of the pool. */
  connections?: number;
}

/** What holds unless the environment or a host application says otherwise. */
export const DEFAULTS: Omit<ServiceOptions, 'connections'> = {
  rateLimitPerMinute: 1000,
  rateLimitStorage: 'postgres',
  background: true,
  leakReports: false,
  requireIfMatch: false,
  eventRetentionDays: 365,
  deletedUsersRetentionDays: 30,
  dashboard: true,
};
