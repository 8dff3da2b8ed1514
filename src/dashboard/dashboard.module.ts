import {
  type DynamicModule,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  RequestMethod,
} from '@nestjs/common';
import { DashboardMiddleware, HAS_SIGN_IN } from './dashboard.middleware';

/** The developer dashboard: a page in the browser that uses only the public API. */
@Module({})
export class DashboardModule implements NestModule {
  static with(hasSignIn: boolean): DynamicModule {
    return { module: DashboardModule, providers: [{ provide: HAS_SIGN_IN, useValue: hasSignIn }] };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(DashboardMiddleware).forRoutes({ path: 'dashboard{/{*path}}', method: RequestMethod.ALL });
  }
}
