import { attribute, externalId, list } from './attribute';
import { type ResourceSchema, resourceSchema } from './resource-schema';

export const GROUP_URN = 'urn:ietf:params:scim:schemas:core:2.0:Group';

export const GROUP: ResourceSchema = resourceSchema({
  name: 'Group',
  endpoint: '/Groups',
  core: {
    id: GROUP_URN,
    name: 'Group',
    description: 'A group of users.',
    attributes: [
      attribute('displayName', 'The name of the group.', {
        required: true,
        uniqueness: 'server',
        maxLength: 256,
      }),
      externalId,
      list('members', 'The users that are in the group.', [
        attribute('value', 'The id of the user.', { caseExact: true, mutability: 'immutable' }),
        attribute('$ref', 'The address of the user.', {
          type: 'reference',
          referenceTypes: ['User'],
          caseExact: true,
          mutability: 'immutable',
        }),
        attribute('display', 'The name of the user.', { mutability: 'readOnly' }),
        attribute('type', 'The type of the member.', {
          canonicalValues: ['User'],
          mutability: 'immutable',
        }),
      ]),
    ],
  },
  mandatory: ['displayName'],
  irremovable: ['displayName'],
});
