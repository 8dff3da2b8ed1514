import { type DynamicModule, Module } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { SERVICE_OPTIONS } from '../feature/options.module';
import { nodeOfIn } from './citus/node-of';
import { ConnectionShares } from './connections/connection-shares';
import { poolOf } from './connections/pool';
import { Database } from './database';

export interface DatabaseOptions {
  /** Connections of the pool that requests may hold at once. Default: all of the pool. */
  connections?: number;
}

/** Provides `Database` everywhere. The data source is not a provider, so our entities stay out of a host's. */
@Module({})
export class DatabaseModule {
  static forRoot(dataSource: DataSource): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        {
          provide: Database,
          inject: [SERVICE_OPTIONS],
          useFactory: async ({ connections = poolOf(dataSource).options.max }: DatabaseOptions) =>
            new Database(dataSource, new ConnectionShares(connections, await nodeOfIn(dataSource))),
        },
      ],
      exports: [Database],
    };
  }
}
