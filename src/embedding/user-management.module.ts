import { type DynamicModule, type INestApplication, Module } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import { OrganizationsService } from '../auth/organizations.service';
import { GUARDS } from '../auth/token.guard';
import { TokensService } from '../tokens/tokens.service';
import { UserSearch } from '../users/search/user-search';
import { UsersService } from '../users/users.service';
import { Mount } from './mount';
import {
  type AsyncUserManagementOptions,
  OPTIONS,
  OptionsModule,
  type UserManagementOptions,
} from './options';
import { openService, SERVICE } from './service';

interface OnDataSource {
  /** The name of a TypeORM data source of the host application. Default: the one without a name. */
  dataSource?: string;
}

/** The providers that a host application can inject: the services, and the guards behind `@Scopes()`. */
const EXPORTS = [UsersService, UserSearch, TokensService, OrganizationsService, GUARDS];

/** The whole service inside a host application, on a data source of the host. */
@Module({})
export class UserManagementModule {
  static forRoot({ dataSource, ...options }: UserManagementOptions & OnDataSource = {}): DynamicModule {
    return embed(dataSource, OptionsModule.forRoot(options));
  }

  /** `dataSource` is not part of the factory's result, because Nest resolves modules before it runs a factory. */
  static forRootAsync({ dataSource, ...options }: AsyncUserManagementOptions & OnDataSource): DynamicModule {
    return embed(dataSource, OptionsModule.forRootAsync(options));
  }
}

function embed(dataSource: string | undefined, options: DynamicModule): DynamicModule {
  return {
    module: UserManagementModule,
    global: true, // so that every controller of the host can use the services and the guards
    imports: [options],
    providers: [
      { provide: SERVICE, inject: [getDataSourceToken(dataSource), OPTIONS], useFactory: openService },
      Mount,
      ...EXPORTS.map((provide) => ({
        provide,
        inject: [SERVICE],
        useFactory: (service: INestApplication) => service.get<unknown>(provide),
      })),
    ],
    exports: EXPORTS,
  };
}
