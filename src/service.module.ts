import { type CanActivate, type DynamicModule, Module, type NestModule } from '@nestjs/common';
import {
  APP_FILTER,
  APP_GUARD,
  APP_INTERCEPTOR,
  DiscoveryModule,
  DiscoveryService,
  HttpAdapterHost,
} from '@nestjs/core';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { AuthGuard } from './auth/auth.guard';
import { AuthModule } from './auth/auth.module';
import { ScopesGuard } from './auth/scopes.guard';
import { BackgroundModule } from './background/background.module';
import { DashboardModule } from './dashboard/dashboard.module';
import { DATABASE } from './database/data-source';
import { nodeOfIn } from './database/citus/node-of';
import { ConnectionShares, poolSizeOf } from './database/connections/connection-shares';
import { Database } from './database/database';
import { EventsModule } from './events/events.module';
import { ErrorFilter } from './http/error.filter';
import { refuseOtherMethods } from './http/method-not-allowed';
import { RequestIdInterceptor } from './http/request-id.interceptor';
import { IdempotencyModule } from './idempotency/idempotency.module';
import { RateLimitGuard } from './rate-limit/rate-limit.guard';
import { RateLimitModule } from './rate-limit/rate-limit.module';
import { LeaksModule } from './leaks/leaks.module';
import { LeaksController } from './leaks/leaks.controller';
import type { ServiceOptions } from './service.options';
import { TokensModule } from './tokens/tokens.module';
import { UsersModule } from './users/users.module';

/** The features that have tables. */
export const FEATURES = [
  AuthModule,
  TokensModule,
  UsersModule,
  IdempotencyModule,
  EventsModule,
  RateLimitModule,
];

/** The injection token of the three global guards, in their order. */
export const GUARDS = Symbol('guards');

/** The service as one module: all of a standalone process, or a Nest application inside a host. */
@Module({})
export class ServiceModule implements NestModule {
  /** `dataSource` is open, and knows the tables of `schema.ts`. */
  static on(dataSource: DataSource, options: ServiceOptions): DynamicModule {
    return {
      module: ServiceModule,
      imports: [
        databaseModule(dataSource, options),
        DiscoveryModule,
        BackgroundModule.with(options),
        RateLimitModule.with(options),
        AuthModule,
        UsersModule.with(options),
        TokensModule,
        LeaksModule.with(options),
        EventsModule.with(options),
        ...(options.dashboard ? [DashboardModule] : []),
      ],
      providers: [
        { provide: APP_GUARD, useExisting: AuthGuard }, // who: 401
        { provide: APP_GUARD, useExisting: RateLimitGuard }, // how often: 429
        { provide: APP_GUARD, useExisting: ScopesGuard }, // may they: 403
        { provide: APP_INTERCEPTOR, useClass: RequestIdInterceptor },
        { provide: APP_FILTER, useClass: ErrorFilter },
        {
          provide: GUARDS,
          inject: [AuthGuard, RateLimitGuard, ScopesGuard],
          useFactory: (...guards: CanActivate[]) => guards,
        },
      ],
    };
  }

  /** @internal Nest constructs it. */
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly discovery: DiscoveryService,
  ) {}

  /** Nest calls this before it registers the routes. */
  configure(): void {
    // Not through the consumer, whose layer for each path every request passes: reads lose up to 7 % of their throughput.
    this.adapterHost.httpAdapter.use(refuseOtherMethods(controllersOf(this.discovery), [LeaksController]));
  }
}

/** Provides the data source under a name, which keeps our entities out of a host's data source, and `Database`. */
const databaseModule = (dataSource: DataSource, options: ServiceOptions): DynamicModule => {
  const providers = [
    { provide: getDataSourceToken(DATABASE), useValue: dataSource },
    {
      provide: Database,
      useFactory: async () => {
        const connections = options.connections ?? poolSizeOf(dataSource);
        return new Database(dataSource, new ConnectionShares(connections, await nodeOfIn(dataSource)));
      },
    },
  ];
  return { module: DatabaseModule, global: true, providers, exports: providers };
};

@Module({})
class DatabaseModule {}

/** Every controller of the application. */
export const controllersOf = (discovery: DiscoveryService) =>
  discovery.getControllers().map(({ metatype }) => metatype as Function);
