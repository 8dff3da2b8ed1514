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
import { OperatorModule } from './operator/operator.module';
import { OrganizationsModule } from './organizations/organizations.module';
import { ScopesGuard } from './auth/scopes.guard';
import { DashboardModule } from './dashboard/dashboard.module';
import { DatabaseModule } from './platform/database/database.module';
import { EventsModule } from './events/events.module';
import type { FeatureModule } from './platform/feature/feature';
import { OptionsModule } from './platform/feature/options.module';
import { GroupsModule } from './groups/groups.module';
import { ErrorFilter } from './platform/http/error.filter';
import { refuseOtherMethods } from './platform/http/method-not-allowed';
import { RequestIdInterceptor } from './platform/http/request-id';
import { IdempotencyModule } from './platform/idempotency/idempotency.module';
import { OAuthModule } from './oauth/oauth.module';
import { RateLimitGuard } from './platform/rate-limit/rate-limit.guard';
import { RateLimitModule } from './platform/rate-limit/rate-limit.module';
import { ScimModule } from './scim/scim.module';
import { ignoreTrailingSlash } from './scim/wire/base';
import type { ServiceOptions } from './service.options';
import { SettingsModule } from './settings/settings.module';
import { SignInModule, signInModules } from './sign-in/sign-in.module';
import { StatisticsModule } from './statistics/statistics.module';
import { TokensModule } from './tokens/tokens.module';
import { UserExportModule } from './user-export/user-export.module';
import { UsersModule } from './users/users.module';
import { WebhookDeliveryModule, WebhooksModule } from './webhooks/webhooks.module';

/**
 * All features. The rows of an organization are deleted in this order, so a feature follows those whose rows its
 * writers lock first.
 */
export const FEATURES: readonly FeatureModule[] = [
  RateLimitModule,
  IdempotencyModule,
  UsersModule,
  GroupsModule,
  TokensModule,
  OAuthModule,
  EventsModule,
  ScimModule,
  StatisticsModule,
  SettingsModule,
  UserExportModule,
  WebhooksModule,
  SignInModule,
  OrganizationsModule,
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
        OptionsModule.forRoot(options),
        DatabaseModule.forRoot(dataSource),
        DiscoveryModule,
        AuthModule,
        ...FEATURES,
        ...(options.operatorTokens === undefined ? [] : [OperatorModule]),
        ...(options.webhooks ? [WebhookDeliveryModule] : []),
        ...(options.dashboard ? [DashboardModule] : []),
        ...signInModules(options),
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
    // The consumer would add a layer for each path to every request: up to 7 % of the throughput of reads.
    this.adapterHost.httpAdapter.use(ignoreTrailingSlash);
    this.adapterHost.httpAdapter.use(refuseOtherMethods(controllersOf(this.discovery)));
  }
}

/** Every controller of the application. */
export const controllersOf = (discovery: DiscoveryService) =>
  discovery.getControllers().map(({ metatype }) => metatype as Function);
