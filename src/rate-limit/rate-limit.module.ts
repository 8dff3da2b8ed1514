import { type DynamicModule, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Database } from '../database/database';
import { MemoryStorage } from './memory.storage';
import { NetworkLimiter } from './network-limiter';
import { PostgresCounter } from './postgres.counter';
import { RateLimitGuard } from './rate-limit.guard';
import { RateLimitWindow } from './rate-limit-window.entity';
import { RedisCounter } from './redis.counter';
import { SharedStorage } from './shared.storage';
import { WINDOW_MS, type WindowCounter } from './window';

/** The injection token of the counter that all processes share. */
export const COUNTER = Symbol('window counter');

/** The injection token of `rateLimitPerMinute`. */
export const RATE_LIMIT = Symbol('rate limit');

export interface RateLimitOptions {
  /** Requests that a token without a limit of its own may make in a window of 60 seconds. */
  rateLimitPerMinute: number;
  /**
   * Where the windows are counted. `postgres` and Redis count all processes together, and PostgreSQL takes over while Redis
   * is unreachable. `memory` counts each process separately, which is correct only for a single process.
   */
  rateLimitStorage: 'postgres' | 'memory' | { redisUrl: string };
}

/** The throttler of @nestjs/throttler, with a storage that is exact across processes. */
@Module({})
export class RateLimitModule {
  static readonly entities = [RateLimitWindow];

  static with({ rateLimitPerMinute, rateLimitStorage }: RateLimitOptions): DynamicModule {
    const counter = {
      provide: COUNTER,
      inject: [Database],
      useFactory: async (database: Database) => {
        const postgres = new PostgresCounter(database, await database.isDistributed());
        return typeof rateLimitStorage === 'object'
          ? RedisCounter.open(rateLimitStorage.redisUrl, postgres)
          : postgres;
      },
    };
    return {
      module: RateLimitModule,
      imports: [
        ThrottlerModule.forRootAsync({
          imports: [{ module: CounterModule, providers: [counter], exports: [counter] }],
          inject: [COUNTER],
          useFactory: (counter: WindowCounter) => ({
            // Named, because @SkipThrottle() and @Throttle() on a host's routes refer to the host's throttler.
            throttlers: [{ name: 'user-management', limit: rateLimitPerMinute, ttl: WINDOW_MS }],
            storage: rateLimitStorage === 'memory' ? new MemoryStorage() : new SharedStorage(counter),
          }),
        }),
      ],
      global: true,
      providers: [RateLimitGuard, NetworkLimiter, { provide: RATE_LIMIT, useValue: rateLimitPerMinute }],
      exports: [RateLimitGuard, NetworkLimiter, RATE_LIMIT],
    };
  }
}

@Module({})
class CounterModule {}
