import { attribute, complex, externalId, reference } from './attribute';
import { type ResourceSchema, resourceSchema } from './resource-schema';

export const GROUP_URN = 'urn:ietf:params:scim:schemas:core:2.0:Group';

const IMMUTABLE = { mutability: 'immutable' } as const;

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
      complex(
        'members',
        'The users that are in the group.',
        [
          attribute('value', 'The id of the user.', { caseExact: true, ...IMMUTABLE }),
          attribute('$ref', 'The address of the user.', { ...reference('User'), ...IMMUTABLE }),
          attribute('display', 'The name of the user.', { mutability: 'readOnly' }),
          attribute('type', 'The type of the member.', { canonicalValues: ['User'], ...IMMUTABLE }),
        ],
        { multiValued: true },
      ),
    ],
  },
  mandatory: ['displayName'],
  irremovable: ['displayName'],
});
