import { type DynamicModule, Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module';
import { BatchController } from './batch/batch.controller';
import { BatchService } from './batch/batch.service';
import { DeletedUser } from './deleted/deleted-user.entity';
import { DELETED_USERS_RETENTION_DAYS, DeletedUserRetention } from './deleted/deleted-user-retention';
import { DeletedUsersController } from './deleted/deleted-users.controller';
import { DeletedUsersService } from './deleted/deleted-users.service';
import { UserPurge } from './deleted/user-purge';
import { UserSearchController } from './search/user-search.controller';
import { UserSearchText } from './search/user-search.entity';
import { UserSearch } from './search/user-search.service';
import { User } from './user/user.entity';
import { UserGroups } from './user/user-query';
import { UserLifecycle } from './user/user-lifecycle';
import { REQUIRE_IF_MATCH, UsersController } from './users.controller';
import { UsersService } from './users.service';

export interface UsersOptions {
  /** Whether a PATCH or DELETE of a user must have an If-Match. */
  requireIfMatch: boolean;
  /** How many days deleted users are kept; with 0 they are purged at once. */
  deletedUsersRetentionDays: number;
}

@Module({
  imports: [IdempotencyModule],
  // The order matters: `GET …/search` must match before `GET …/:id`.
  controllers: [UserSearchController, BatchController, UsersController, DeletedUsersController],
  providers: [
    UsersService,
    UserSearch,
    BatchService,
    DeletedUsersService,
    DeletedUserRetention,
    UserPurge,
    UserLifecycle,
    UserGroups,
  ],
  exports: [UsersService, BatchService, DeletedUsersService, UserSearch, UserLifecycle, UserGroups],
})
export class UsersModule {
  static readonly entities = [User, DeletedUser, UserSearchText];

  static with({ requireIfMatch, deletedUsersRetentionDays }: UsersOptions): DynamicModule {
    return {
      module: UsersModule,
      global: true, // for the features whose modules import nothing with options
      providers: [
        { provide: REQUIRE_IF_MATCH, useValue: requireIfMatch },
        { provide: DELETED_USERS_RETENTION_DAYS, useValue: deletedUsersRetentionDays },
      ],
    };
  }
}
