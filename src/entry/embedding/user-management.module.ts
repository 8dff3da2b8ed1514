import { type DynamicModule, type INestApplication, Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { OrganizationsService } from '../../organizations/organizations.service';
import { GUARDS } from '../../service.module';
import { GroupsService } from '../../groups/groups.service';
import { TokensService } from '../../tokens/tokens.service';
import { DeletedUsersService } from '../../users/deleted/deleted-users.service';
import { UserSearch } from '../../users/search/user-search.service';
import { UsersService } from '../../users/users.service';
import { WebhooksService } from '../../webhooks/webhooks.service';
import { UserManagementHealth } from './health';
import { HostMetrics } from './metrics';
import { Mount } from './mount';
import {
  type AsyncUserManagementOptions,
  type HostDataSource,
  OPTIONS,
  HostOptionsModule,
  type HostSettings,
  type UserManagementOptions,
} from './options';
import { openService, SERVICE } from './service';

/** The providers that a host application can inject: the services, and the guards behind `@Scopes()`. */
const EXPORTS = [
  UsersService,
  DeletedUsersService,
  UserSearch,
  GroupsService,
  TokensService,
  OrganizationsService,
  WebhooksService,
  GUARDS,
];

/** The whole service inside a host application, on a data source of the host. */
@Module({})
export class UserManagementModule {
  static forRoot({ dataSource, ...options }: UserManagementOptions & HostDataSource = {}): DynamicModule {
    return embed(dataSource, HostOptionsModule.forRoot(options));
  }

  /** `dataSource` is not part of the factory's result, because Nest resolves modules before it runs a factory. */
  static forRootAsync({
    dataSource,
    ...options
  }: AsyncUserManagementOptions & HostDataSource): DynamicModule {
    return embed(dataSource, HostOptionsModule.forRootAsync(options));
  }
}

function embed(dataSourceName: string | undefined, options: DynamicModule): DynamicModule {
  return {
    module: UserManagementModule,
    global: true, // so that every controller of the host can use the services and the guards
    imports: [options],
    providers: [
      {
        provide: HostMetrics,
        inject: [OPTIONS, getDataSourceToken(dataSourceName)],
        useFactory: HostMetrics.open,
      },
      {
        provide: SERVICE,
        inject: [ModulesContainer, getDataSourceToken(dataSourceName), OPTIONS, HostMetrics],
        useFactory: (
          modules: ModulesContainer,
          dataSource: DataSource,
          resolved: HostSettings,
          metrics: HostMetrics,
        ) => {
          requireOne(modules);
          return openService(dataSource, resolved, metrics);
        },
      },
      Mount,
      UserManagementHealth,
      ...EXPORTS.map((provided) => ({
        provide: provided,
        inject: [SERVICE],
        useFactory: (service: INestApplication) => service.get<unknown>(provided),
      })),
    ],
    exports: [...EXPORTS, UserManagementHealth],
  };
}

/** Nest would inject the services of either. It knows all modules of the application now, and nothing is open. */
function requireOne(modules: ModulesContainer): void {
  const ours = [...modules.values()].filter(({ metatype }) => metatype === UserManagementModule);
  if (ours.length === 1) return;
  throw new Error(
    'This application has more than one UserManagementModule. Call forRoot() or forRootAsync() once, in the root module: its services are global. Run a second user directory as a process of its own.',
  );
}
