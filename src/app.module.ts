import { type DynamicModule, Module, type NestModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { browserPaths } from './dashboard/browser-paths';
import { DocsModule } from './docs/docs.module';
import { HealthModule } from './health/health.module';
import { ServiceModule } from './service.module';
import type { ServiceOptions } from './service.options';

/** The standalone service, on a data source that is open. */
@Module({})
export class AppModule implements NestModule {
  static on(dataSource: DataSource, options: ServiceOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [ServiceModule.on(dataSource, options), HealthModule, DocsModule],
    };
  }

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  configure(): void {
    this.adapterHost.httpAdapter.use(browserPaths());
  }
}
