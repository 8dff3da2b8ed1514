import { type DynamicModule, Module } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { DocsModule } from './docs/docs.module';
import { HealthModule } from './health/health.module';
import { ServiceModule, type ServiceOptions } from './service.module';

/** The standalone service, on a data source that is open. */
@Module({})
export class AppModule {
  static on(dataSource: DataSource, options: ServiceOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [ServiceModule.on(dataSource, options), HealthModule, DocsModule],
    };
  }
}
