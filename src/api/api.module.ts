import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { TokenGuard } from '../auth/token.guard';
import { DashboardModule } from '../dashboard/dashboard.module';
import { UnroutedFilter } from '../http/error.filter';
import { refuseOtherMethods } from '../http/method-not-allowed';
import { TokensController } from '../tokens/tokens.controller';
import { UsersController } from '../users/users.controller';

/** The controllers whose routes want a token. */
export const API_CONTROLLERS = [UsersController, TokensController];

interface Extras {
  /** Whether the developer dashboard is served besides. */
  dashboard?: boolean;
}

/** The routes of the service, and its answer to every other path. */
@Module({})
export class ApiModule implements NestModule {
  /** `needed`: what the controllers and the guards ask for, as it is known to the application. */
  static with(needed: Map<symbol | Function, unknown>, { dashboard }: Extras = {}): DynamicModule {
    return {
      module: ApiModule,
      imports: dashboard ? [DashboardModule] : [],
      controllers: API_CONTROLLERS,
      providers: [
        ...[...needed].map(([provide, useValue]) => ({ provide, useValue })),
        // Whatever a controller forgets to ask for, a token is asked for; where no scope is named, one for admins.
        { provide: APP_GUARD, useClass: TokenGuard },
        { provide: APP_FILTER, useClass: UnroutedFilter },
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    refuseOtherMethods(consumer, API_CONTROLLERS);
  }
}
