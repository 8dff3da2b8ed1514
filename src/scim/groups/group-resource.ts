import { weakEntityTag } from '../../platform/http/input/entity-tags';
import type { MemberRecord } from '../../groups/members/first-members';
import type { GroupRecord } from '../../groups/group/group.serializer';
import { GROUP_URN } from '../schema/group.schema';

/** A group as SCIM shows it, without members if they have not been read. */
export const groupResource = (group: GroupRecord, members: MemberRecord[] | undefined, base: string) => ({
  schemas: [GROUP_URN],
  id: group.id,
  ...(group.externalId !== null && { externalId: group.externalId }),
  displayName: group.displayName,
  ...(members && { members: members.map((member) => memberOf(member, base)) }),
  meta: {
    resourceType: 'Group',
    created: group.createdAt.toISOString(),
    lastModified: group.updatedAt.toISOString(),
    location: `${base}/Groups/${group.id}`,
    version: weakEntityTag(group.version),
  },
});

const memberOf = ({ id, name }: MemberRecord, base: string) => ({
  value: id,
  $ref: `${base}/Users/${id}`,
  display: name,
  type: 'User',
});
