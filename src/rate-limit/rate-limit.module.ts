import { Module } from '@nestjs/common';
import { getOptionsToken, getStorageToken } from '@nestjs/throttler';
import type { DataSource } from 'typeorm';
import { DATA_SOURCE } from '../database/database.module';
import { OPTIONS, type ResolvedOptions } from '../options';
import { MemoryStorage } from './memory.storage';
import { PostgresCounter } from './postgres.counter';
import { RedisCounter } from './redis.counter';
import { SharedStorage } from './shared.storage';
import { WINDOW_MS, type WindowCounter } from './window';

/** What counts for all processes. */
export const COUNTER = Symbol('window counter');

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
      // A provider of its own, so that Nest tells it of the end.
      provide: COUNTER,
      inject: [OPTIONS, DATA_SOURCE],
      useFactory: ({ rateLimitStorage }: ResolvedOptions, dataSource: DataSource) => {
        const counter = new PostgresCounter(dataSource);
        return typeof rateLimitStorage === 'object'
          ? RedisCounter.open(rateLimitStorage.redisUrl, counter)
          : counter;
      },
    },
    {
      provide: getStorageToken(),
      inject: [OPTIONS, COUNTER],
      useFactory: ({ rateLimitStorage }: ResolvedOptions, counter: WindowCounter) =>
        rateLimitStorage === 'memory' ? new MemoryStorage() : new SharedStorage(counter),
    },
  ],
  exports: [getOptionsToken(), getStorageToken()],
})
export class RateLimitModule {}
