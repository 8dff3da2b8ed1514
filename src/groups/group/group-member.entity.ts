import { Entity, PrimaryColumn } from 'typeorm';

/** A user who is a member of a group. */
@Entity('group_members')
export class GroupMember {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryColumn({ name: 'group_id', type: 'text' })
  groupId: string;

  @PrimaryColumn({ name: 'user_id', type: 'text' })
  userId: string;
}

/** A deleted user's membership, which a restore brings back unless a directory has removed it. */
@Entity('deleted_group_members')
export class DeletedGroupMember extends GroupMember {}

export type MemberEntity = typeof GroupMember | typeof DeletedGroupMember;
