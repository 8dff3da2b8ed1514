import { type DynamicModule, Module } from '@nestjs/common';
import { migrations } from '../migrations';
import { Api } from './api/api';
import { AuthModule } from './auth/auth.module';
import type { Schema } from './database/data-source';
import { DatabaseModule } from './database/database.module';
import { type AsyncUserManagementOptions, OptionsModule, type UserManagementOptions } from './options';
import { Organization } from './organizations/organization.entity';
import { OrganizationsModule } from './organizations/organizations.module';
import { Token } from './tokens/token.entity';
import { TokensModule } from './tokens/tokens.module';
import { User } from './users/user.entity';
import { UsersModule } from './users/users.module';

/** The tables of the service. */
export const schema = { entities: [Organization, User, Token], migrations } satisfies Schema;

interface OnDataSource {
  /** The name of a TypeORM data source of the application. Default: its default one. */
  dataSource?: string;
}

/** The whole service, on a data source of the application. */
@Module({})
export class UserManagementModule {
  static forRoot({ dataSource, ...options }: UserManagementOptions & OnDataSource = {}): DynamicModule {
    return on(dataSource, OptionsModule.forRoot(options));
  }

  /** `dataSource` stands beside the factory: Nest wires modules before it runs one. */
  static forRootAsync({ dataSource, ...options }: AsyncUserManagementOptions & OnDataSource): DynamicModule {
    return on(dataSource, OptionsModule.forRootAsync(options));
  }
}

function on(dataSource: string | undefined, options: DynamicModule): DynamicModule {
  const features = [UsersModule, TokensModule, OrganizationsModule, AuthModule];
  return {
    module: UserManagementModule,
    // So that any controller of the application can use the services and the guards.
    global: true,
    imports: [options, DatabaseModule.on(dataSource, schema), ...features],
    providers: [Api],
    exports: features,
  };
}
