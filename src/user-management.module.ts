import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { migrations } from '../migrations';
import { AuthModule } from './auth/auth.module';
import type { Schema } from './database/data-source';
import { refuseOtherMethods } from './http/method-not-allowed';
import { type UserManagementOptions, OptionsModule } from './options';
import { Organization } from './organizations/organization.entity';
import { OrganizationsModule } from './organizations/organizations.module';
import { Token } from './tokens/token.entity';
import { TokensController } from './tokens/tokens.controller';
import { TokensModule } from './tokens/tokens.module';
import { User } from './users/user.entity';
import { UsersController } from './users/users.controller';
import { UsersModule } from './users/users.module';

/** The tables of the service. */
export const schema = { entities: [Organization, User, Token], migrations } satisfies Schema;

/** The controllers whose routes want a token. */
export const API_CONTROLLERS = [UsersController, TokensController];

/** The service, on the application's default data source. */
@Module({})
export class UserManagementModule implements NestModule {
  static forRoot(options: UserManagementOptions): DynamicModule {
    return {
      module: UserManagementModule,
      imports: [OptionsModule.with(options), UsersModule, TokensModule, OrganizationsModule, AuthModule],
      exports: [UsersModule, TokensModule, OrganizationsModule],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    refuseOtherMethods(consumer, API_CONTROLLERS);
  }
}
