import { Global, Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import type { Feature } from '../platform/feature/feature';
import { Memberships } from '../users/query/user-query';
import { UsersModule } from '../users/users.module';
import { Group } from './group/group.entity';
import { DeletedGroupMember, GroupMember } from './group/group-member.entity';
import { GroupsController } from './groups.controller';
import { GroupsService } from './groups.service';
import { GroupMemberships } from './members/members-of-group';
import { eraseMemberships, UserMemberships } from './members/user-memberships';

/** Gives `users/` the members of groups. Global, because `users/` knows no groups. */
@Global()
@Module({ providers: [{ provide: Memberships, useClass: GroupMemberships }], exports: [Memberships] })
class MembershipsModule {}

@Module({
  imports: [EventsModule, MembershipsModule, UsersModule],
  controllers: [GroupsController],
  providers: [GroupsService, UserMemberships],
  exports: [GroupsService],
})
export class GroupsModule {
  static readonly feature: Feature = {
    entities: [Group, GroupMember, DeletedGroupMember],
    personal: [
      {
        entity: GroupMember,
        purge: 'a deletion moves the memberships to DeletedGroupMember',
        export: { as: 'groups' },
      },
      {
        entity: DeletedGroupMember,
        purge: eraseMemberships,
        export: { not: 'a deleted user has no export' },
      },
    ],
    ids: { group: 'grp' },
    tags: [
      {
        name: 'Groups',
        description:
          'The groups of a directory. Only the directory writes them. They are data, and grant nothing.',
        idOf: 'group',
      },
    ],
  };
}
