import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DATABASE } from '../database/data-source';
import { UserSearch } from './search/user-search';
import { UserSearchController } from './search/user-search.controller';
import { VocabularySweep } from './search/vocabulary-sweep';
import { User } from './user.entity';
import { UserWrites } from './user-writes';
import { UsersController } from './users.controller';
import { UsersService } from './users.service';

@Module({
  imports: [TypeOrmModule.forFeature([User], DATABASE)],
  // The order matters: `GET …/search` must match before `GET …/:id`.
  controllers: [UserSearchController, UsersController],
  providers: [UsersService, UserWrites, UserSearch, VocabularySweep],
  exports: [UsersService, UserSearch],
})
export class UsersModule {}
