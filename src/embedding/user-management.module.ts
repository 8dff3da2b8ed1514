import { type DynamicModule, type INestApplication, Module } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import { OrganizationsService } from '../auth/organizations.service';
import { GUARDS } from '../service.module';
import { TokensService } from '../tokens/tokens.service';
import { DeletedUsersService } from '../users/deleted/deleted-users.service';
import { UserSearch } from '../users/search/user-search';
import { UsersService } from '../users/users.service';
import { Mount } from './mount';
import { injectionToken } from './names';
import {
  type AsyncUserManagementOptions,
  type Instance,
  INSTANCE,
  OPTIONS,
  OptionsModule,
  type UserManagementOptions,
} from './options';
import { openService, SERVICE } from './service';

/** The providers that a host application can inject: the services, and the guards behind `@Scopes()`. */
const EXPORTS = [UsersService, DeletedUsersService, UserSearch, TokensService, OrganizationsService, GUARDS];

/** The whole service inside a host application, on a data source of the host. */
@Module({})
export class UserManagementModule {
  static forRoot({ name, dataSource, ...options }: UserManagementOptions & Instance = {}): DynamicModule {
    return embed({ name, dataSource }, OptionsModule.forRoot(options));
  }

  /** `name` and `dataSource` are not part of the factory's result, because Nest resolves modules before it runs a factory. */
  static forRootAsync({
    name,
    dataSource,
    ...options
  }: AsyncUserManagementOptions & Instance): DynamicModule {
    return embed({ name, dataSource }, OptionsModule.forRootAsync(options));
  }
}

function embed(instance: Instance, options: DynamicModule): DynamicModule {
  const exported = EXPORTS.map((provided) => injectionToken(provided, instance.name));
  return {
    module: UserManagementModule,
    global: true, // so that every controller of the host can use the services and the guards
    imports: [options],
    providers: [
      {
        provide: SERVICE,
        inject: [getDataSourceToken(instance.dataSource), OPTIONS],
        useFactory: openService,
      },
      { provide: INSTANCE, useValue: instance },
      Mount,
      ...EXPORTS.map((provided, i) => ({
        provide: exported[i],
        inject: [SERVICE],
        useFactory: (service: INestApplication) => service.get<unknown>(provided),
      })),
    ],
    exports: exported,
  };
}
