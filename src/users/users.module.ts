import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DATABASE } from '../database/data-source';
import { IdempotencyModule } from '../idempotency/idempotency.module';
import { BatchController } from './batch/batch.controller';
import { BatchService } from './batch/batch.service';
import { DeletedUserReads } from './deleted/deleted-user-reads';
import { DELETED_USERS_RETENTION_DAYS, DeletedUserRetention } from './deleted/deleted-user-retention';
import { DeletedUsersController } from './deleted/deleted-users.controller';
import { DeletedUsersService } from './deleted/deleted-users.service';
import { UserPurge } from './deleted/user-purge';
import { PurgedWords } from './search/purged-words';
import { UserSearch } from './search/user-search';
import { UserSearchController } from './search/user-search.controller';
import { VocabularySweep } from './search/vocabulary-sweep';
import { User } from './user.entity';
import { UserReads } from './writes/user-reads';
import { UserWrites } from './writes/user-writes';
import { REQUIRE_IF_MATCH, UsersController } from './users.controller';
import { UsersService } from './users.service';

export interface UsersOptions {
  /** Whether a PATCH or DELETE of a user must have an If-Match. */
  requireIfMatch: boolean;
  /** How many days deleted users are kept; with 0 they are purged at once. */
  deletedUsersRetentionDays: number;
}

@Module({
  imports: [TypeOrmModule.forFeature([User], DATABASE), IdempotencyModule],
  // The order matters: `GET …/search` must match before `GET …/:id`.
  controllers: [UserSearchController, BatchController, UsersController, DeletedUsersController],
  providers: [
    UsersService,
    UserReads,
    UserWrites,
    UserSearch,
    BatchService,
    VocabularySweep,
    PurgedWords,
    DeletedUsersService,
    DeletedUserReads,
    DeletedUserRetention,
    UserPurge,
  ],
  exports: [UsersService, DeletedUsersService, UserSearch],
})
export class UsersModule {
  static with({ requireIfMatch, deletedUsersRetentionDays }: UsersOptions): DynamicModule {
    return {
      module: UsersModule,
      providers: [
        { provide: REQUIRE_IF_MATCH, useValue: requireIfMatch },
        { provide: DELETED_USERS_RETENTION_DAYS, useValue: deletedUsersRetentionDays },
      ],
    };
  }
}
