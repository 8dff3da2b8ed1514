import { type DynamicModule, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Database } from '../database/database';
import { MemoryStorage } from './memory.storage';
import { NetworkLimiter } from './network-limiter';
import { PostgresStorage } from './postgres.storage';
import { RateLimitGuard } from './rate-limit.guard';
import { RateLimitWindow } from './rate-limit-window.entity';
import { WINDOW_MS } from './window';

/** The injection token of `rateLimitPerMinute`. */
export const RATE_LIMIT = Symbol('rate limit');

export interface RateLimitOptions {
  /** Requests that a token without a limit of its own may make in a window of 60 seconds. */
  rateLimitPerMinute: number;
  /**
   * Where the windows are counted: `postgres` counts all processes together, and `memory` each process separately, which is
   * correct only for a single process.
   */
  rateLimitStorage: 'postgres' | 'memory';
}

/** The throttler of @nestjs/throttler, with a storage that is exact across processes. */
@Module({})
export class RateLimitModule {
  static readonly entities = [RateLimitWindow];

  static with({ rateLimitPerMinute, rateLimitStorage }: RateLimitOptions): DynamicModule {
    return {
      module: RateLimitModule,
      imports: [
        ThrottlerModule.forRootAsync({
          inject: [Database],
          useFactory: async (database: Database) => ({
            // Named, because @SkipThrottle() and @Throttle() on a host's routes refer to the host's throttler.
            throttlers: [{ name: 'user-management', limit: rateLimitPerMinute, ttl: WINDOW_MS }],
            storage:
              rateLimitStorage === 'memory'
                ? new MemoryStorage()
                : new PostgresStorage(database, await database.isDistributed()),
          }),
        }),
      ],
      global: true,
      providers: [RateLimitGuard, NetworkLimiter, { provide: RATE_LIMIT, useValue: rateLimitPerMinute }],
      exports: [RateLimitGuard, NetworkLimiter, RATE_LIMIT],
    };
  }
}
