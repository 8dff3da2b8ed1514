import { Module } from '@nestjs/common';
import { UserGroups } from '../users/user/user-query';
import { UserLifecycle } from '../users/user/user-lifecycle';
import { Group } from './group/group.entity';
import { DeletedGroupMember, GroupMember } from './group/group-member.entity';
import { GroupsController } from './groups.controller';
import { GroupsService } from './groups.service';
import { membersOfGroup } from './members/members-of-group';
import { MEMBERSHIP_STEPS } from './members/user-memberships';

@Module({
  controllers: [GroupsController],
  providers: [GroupsService],
  exports: [GroupsService],
})
export class GroupsModule {
  static readonly entities = [Group, GroupMember, DeletedGroupMember];

  constructor(lifecycle: UserLifecycle, groups: UserGroups) {
    lifecycle.add(MEMBERSHIP_STEPS);
    groups.membersOf = membersOfGroup;
  }
}
