import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DocsController } from './docs/docs.controller';
import { DocsModule } from './docs/docs.module';
import { HealthController } from './health/health.controller';
import { HealthModule } from './health/health.module';
import { UnroutedFilter } from './http/error.filter';
import { refuseOtherMethods } from './http/method-not-allowed';
import type { UserManagementOptions } from './options';
import { UserManagementModule } from './user-management.module';

/** The standalone service, on a data source that is open. */
@Module({})
export class AppModule implements NestModule {
  static on(dataSource: DataSource, options: UserManagementOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ ...dataSource.options, retryAttempts: 0 }),
          dataSourceFactory: async () => dataSource,
        }),
        UserManagementModule.forRoot(options),
        HealthModule,
        DocsModule,
      ],
      providers: [{ provide: APP_FILTER, useClass: UnroutedFilter }],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    refuseOtherMethods(consumer, [HealthController, DocsController]);
  }
}
