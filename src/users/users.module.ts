import { Module } from '@nestjs/common';
import { BackgroundModule } from '../platform/background/background.module';
import { EventsModule } from '../events/events.module';
import type { Feature } from '../platform/feature/feature';
import { deleteRows } from '../platform/feature/personal-data';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module';
import { BatchController } from './batch/batch.controller';
import { BatchService } from './batch/batch.service';
import { BatchDeleteController } from './deleted/batch/batch-delete.controller';
import { BatchDeleteService } from './deleted/batch/batch-delete.service';
import { BatchRestoreService } from './deleted/batch/batch-restore.service';
import { DeletedUser } from './deleted/deleted-user.entity';
import { DeletedUsersController } from './deleted/deleted-users.controller';
import { DeletedUsersService } from './deleted/deleted-users.service';
import { UserPurge } from './deleted/user-purge';
import { UserSearchController } from './search/user-search.controller';
import { UserSearchText } from './search/user-search.entity';
import { UserSearch } from './search/user-search.service';
import { User } from './user/user.entity';
import { UserLifecycle } from './user/user-lifecycle';
import { UsersController } from './users.controller';
import { UsersService } from './users.service';

@Module({
  imports: [BackgroundModule, EventsModule, IdempotencyModule],
  // The order matters: `GET …/search` must match before `GET …/:id`.
  controllers: [
    UserSearchController,
    BatchController,
    BatchDeleteController,
    UsersController,
    DeletedUsersController,
  ],
  providers: [
    UsersService,
    UserSearch,
    BatchService,
    BatchDeleteService,
    BatchRestoreService,
    DeletedUsersService,
    UserPurge,
    UserLifecycle,
  ],
  exports: [UsersService, BatchService, DeletedUsersService, UserSearch, UserLifecycle],
})
export class UsersModule {
  static readonly feature: Feature = {
    entities: [User, DeletedUser, UserSearchText],
    personal: [
      { entity: User, purge: 'a deletion moves the user to DeletedUser', export: { as: 'user' } },
      {
        entity: DeletedUser,
        purge: deleteRows(DeletedUser, 'id'),
        export: { not: 'a deleted user has no export' },
      },
      {
        entity: UserSearchText,
        purge: 'the text is deleted with the user',
        export: { not: 'another form of the user' },
      },
    ],
    ids: { user: 'usr' },
    tags: [
      { name: 'Users', description: 'The users of the organization.', idOf: 'user' },
      {
        name: 'Deleted users',
        description:
          'Deleted users. They can be restored until they are purged; no list, search or filter of users finds them.',
        idOf: 'user',
      },
    ],
  };
}
