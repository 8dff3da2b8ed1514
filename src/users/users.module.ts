import { Module } from '@nestjs/common';
import { repositoryOf } from '../database/database.module';
import { User } from './user.entity';
import { UserSearch } from './user-search';
import { UsersService } from './users.service';

@Module({
  providers: [repositoryOf(User), UsersService, UserSearch],
  exports: [UsersService, UserSearch],
})
export class UsersModule {}
