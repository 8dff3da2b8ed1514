import { type MiddlewareConsumer, Module, type NestModule, RequestMethod } from '@nestjs/common';
import { DashboardMiddleware } from './dashboard.middleware';

/** The developer dashboard: a page in the browser that uses only the public API. */
@Module({})
export class DashboardModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(DashboardMiddleware).forRoutes({ path: 'dashboard{/{*path}}', method: RequestMethod.ALL });
  }
}
