import { Module } from '@nestjs/common';
import { getOptionsToken, getStorageToken } from '@nestjs/throttler';
import type { DataSource } from 'typeorm';
import { DATA_SOURCE } from '../database/database.module';
import { OPTIONS, type ResolvedOptions } from '../options';
import { MemoryStorage } from './memory.storage';
import { PostgresStorage } from './postgres.storage';
import { WINDOW_MS } from './window';

/** The throttler's two providers. Its own module is global, and would change the limits of a host application. */
@Module({
  providers: [
    {
      provide: getOptionsToken(),
      inject: [OPTIONS],
      useFactory: ({ rateLimitPerMinute }: ResolvedOptions) => [
        // A name of its own: an application's @SkipThrottle() and @Throttle() mean its own throttler.
        { name: 'user-management', limit: rateLimitPerMinute, ttl: WINDOW_MS },
      ],
    },
    {
      provide: getStorageToken(),
      inject: [OPTIONS, DATA_SOURCE],
      useFactory: ({ rateLimitStorage }: ResolvedOptions, dataSource: DataSource) =>
        rateLimitStorage === 'memory' ? new MemoryStorage() : new PostgresStorage(dataSource),
    },
  ],
  exports: [getOptionsToken(), getStorageToken()],
})
export class RateLimitModule {}
