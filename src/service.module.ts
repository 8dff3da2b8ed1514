import { type CanActivate, type DynamicModule, Module, type NestModule } from '@nestjs/common';
import {
  APP_FILTER,
  APP_GUARD,
  APP_INTERCEPTOR,
  DiscoveryModule,
  DiscoveryService,
  HttpAdapterHost,
} from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { AuthGuard } from './auth/auth.guard';
import { AuthModule } from './auth/auth.module';
import { ScopesGuard } from './auth/scopes.guard';
import { BackgroundModule } from './background/background.module';
import { DashboardModule } from './dashboard/dashboard.module';
import { nodeOfIn } from './database/citus/node-of';
import { ConnectionShares } from './database/connections/connection-shares';
import { poolOf } from './database/connections/pool';
import { Database } from './database/database';
import { EventsModule } from './events/events.module';
import { GroupsModule } from './groups/groups.module';
import { ErrorFilter } from './http/error.filter';
import { refuseOtherMethods } from './http/method-not-allowed';
import { RequestIdInterceptor } from './http/request-id.interceptor';
import { IdempotencyModule } from './idempotency/idempotency.module';
import { RateLimitGuard } from './rate-limit/rate-limit.guard';
import { RateLimitModule } from './rate-limit/rate-limit.module';
import type { ServiceOptions } from './service.options';
import { StatisticsModule } from './statistics/statistics.module';
import { UserExportModule } from './user-export/user-export.module';
import { ScimModule } from './scim/scim.module';
import { ignoreTrailingSlash } from './scim/wire/base';
import { hasSignIn, SignInModule } from './sign-in/sign-in.module';
import { TokensModule } from './tokens/tokens.module';
import { UsersModule } from './users/users.module';
import { WebhooksModule } from './webhooks/webhooks.module';

/** The features that have tables. */
export const FEATURES = [
  AuthModule,
  TokensModule,
  UsersModule,
  GroupsModule,
  IdempotencyModule,
  EventsModule,
  RateLimitModule,
  ScimModule,
  WebhooksModule,
  SignInModule,
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
        GroupsModule,
        TokensModule,
        EventsModule.with(options),
        ScimModule,
        StatisticsModule,
        UserExportModule,
        WebhooksModule.with(options),
        SignInModule.with(options),
        ...(options.dashboard ? [DashboardModule.with(hasSignIn(options))] : []),
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
    // Not through the consumer, which adds a layer for each path to every request: reads would lose up to 7 % of their
    // throughput.
    this.adapterHost.httpAdapter.use(ignoreTrailingSlash);
    this.adapterHost.httpAdapter.use(refuseOtherMethods(controllersOf(this.discovery)));
  }
}

/** Provides `Database`. The data source is not a provider, which keeps our entities out of a host's data source. */
const databaseModule = (dataSource: DataSource, options: ServiceOptions): DynamicModule => {
  const database = {
    provide: Database,
    useFactory: async () => {
      const connections = options.connections ?? poolOf(dataSource).options.max;
      return new Database(dataSource, new ConnectionShares(connections, await nodeOfIn(dataSource)));
    },
  };
  return { module: DatabaseModule, global: true, providers: [database], exports: [database] };
};

@Module({})
class DatabaseModule {}

/** Every controller of the application. */
export const controllersOf = (discovery: DiscoveryService) =>
  discovery.getControllers().map(({ metatype }) => metatype as Function);
