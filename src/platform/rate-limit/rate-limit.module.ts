import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { BackgroundModule } from '../background/background.module';
import { Database } from '../database/database';
import type { Feature } from '../feature/feature';
import { SERVICE_OPTIONS } from '../feature/options.module';
import { MemoryStorage } from './memory.storage';
import { NetworkLimiter } from './network-limiter';
import { PostgresStorage } from './postgres.storage';
import { RateLimitGuard } from './rate-limit.guard';
import type { RateLimitOptions } from './rate-limit.options';
import { RateLimitWindow } from './rate-limit-window.entity';
import { TokenWindows } from './token-windows';
import { WINDOW_MS } from './window';

/** The throttler of @nestjs/throttler, with a storage that is exact across processes. */
@Module({
  imports: [
    BackgroundModule,
    ThrottlerModule.forRootAsync({
      inject: [Database, SERVICE_OPTIONS],
      useFactory: async (database: Database, { rateLimitPerMinute, rateLimitStorage }: RateLimitOptions) => ({
        // Named, because @SkipThrottle() and @Throttle() on a host's routes refer to the host's throttler.
        throttlers: [{ name: 'user-management', limit: rateLimitPerMinute, ttl: WINDOW_MS }],
        storage:
          rateLimitStorage === 'memory'
            ? new MemoryStorage()
            : new PostgresStorage(database, await database.isDistributed()),
      }),
    }),
  ],
  providers: [RateLimitGuard, NetworkLimiter, TokenWindows],
  exports: [RateLimitGuard, NetworkLimiter, TokenWindows],
})
export class RateLimitModule {
  static readonly feature: Feature = { entities: [RateLimitWindow], personal: [] };
}
