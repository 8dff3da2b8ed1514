import { type DynamicModule, Module } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { DocsModule } from './docs/docs.module';
import { HealthModule } from './entry/health/health.module';
import { ServiceModule } from './service.module';
import type { ServiceOptions } from './service.options';

/** The standalone service, on a data source that is open. */
@Module({})
export class AppModule {
  static on(dataSource: DataSource, options: ServiceOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [ServiceModule.on(dataSource, { ...options, hasDocs: true }), HealthModule, DocsModule],
    };
  }
}
