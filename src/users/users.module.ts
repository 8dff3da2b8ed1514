import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DATABASE } from '../database/data-source';
import { IdempotencyModule } from '../idempotency/idempotency.module';
import { SearchIndexes } from './search/search-indexes';
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
}

@Module({
  imports: [TypeOrmModule.forFeature([User], DATABASE), IdempotencyModule],
  // The order matters: `GET …/search` must match before `GET …/:id`.
  controllers: [UserSearchController, UsersController],
  providers: [UsersService, UserReads, UserWrites, UserSearch, SearchIndexes, VocabularySweep],
  exports: [UsersService, UserSearch],
})
export class UsersModule {
  static with({ requireIfMatch }: UsersOptions): DynamicModule {
    return { module: UsersModule, providers: [{ provide: REQUIRE_IF_MATCH, useValue: requireIfMatch }] };
  }
}
