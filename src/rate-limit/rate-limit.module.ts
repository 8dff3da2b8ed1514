import { Module } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import { getOptionsToken, getStorageToken } from '@nestjs/throttler';
import type { DataSource } from 'typeorm';
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
        { limit: rateLimitPerMinute, ttl: WINDOW_MS },
      ],
    },
    {
      provide: getStorageToken(),
      inject: [OPTIONS, getDataSourceToken()],
      useFactory: ({ rateLimitStorage }: ResolvedOptions, dataSource: DataSource) =>
        rateLimitStorage === 'memory' ? new MemoryStorage() : new PostgresStorage(dataSource),
    },
  ],
  exports: [getOptionsToken(), getStorageToken()],
})
export class RateLimitModule {}
