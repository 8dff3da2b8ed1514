import { Global, Module } from '@nestjs/common';
import { DiscoveryController, UnsupportedController } from './wire/discovery.controller';
import type { Feature } from '../platform/feature/feature';
import { deleteRows } from '../platform/feature/personal-data';
import { GroupsModule } from '../groups/groups.module';
import { RateLimitModule } from '../platform/rate-limit/rate-limit.module';
import { DirectoryAttributes } from '../users/query/directory-attributes';
import { UsersModule } from '../users/users.module';
import { ScimGroupList } from './groups/scim-group-list';
import { ScimGroupsController } from './groups/scim-groups.controller';
import { ScimDirectoryAttributes } from './users/scim-directory-attributes';
import { ScimUserList } from './users/scim-user-list';
import { ScimUserSteps } from './users/scim-user-steps';
import { ScimUser } from './users/scim-user.entity';
import { ScimUsersController } from './users/scim-users.controller';
import { ScimUsersService } from './users/scim-users.service';

/** Gives `users/` the attributes of directories. Global, because `users/` knows no directories. */
@Global()
@Module({
  providers: [{ provide: DirectoryAttributes, useClass: ScimDirectoryAttributes }],
  exports: [DirectoryAttributes],
})
class DirectoryAttributesModule {}

@Module({
  imports: [DirectoryAttributesModule, UsersModule, GroupsModule, RateLimitModule],
  controllers: [DiscoveryController, UnsupportedController, ScimUsersController, ScimGroupsController],
  providers: [ScimUsersService, ScimUserList, ScimUserSteps, ScimGroupList],
})
export class ScimModule {
  static readonly feature: Feature = {
    entities: [ScimUser],
    personal: [{ entity: ScimUser, purge: deleteRows(ScimUser, 'userId'), export: { as: 'directory' } }],
  };
}
