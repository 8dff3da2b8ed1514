import { attribute, complex, externalId, list, primary, type } from './attribute';
import { type ResourceSchema, resourceSchema } from './resource-schema';

export const USER_URN = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE_URN = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const NAME = [
  attribute('formatted', 'The full name, formatted for display.'),
  attribute('familyName', 'The family name.'),
  attribute('givenName', 'The given name.'),
  attribute('middleName', 'The middle names.'),
  attribute('honorificPrefix', 'What precedes the name, such as Dr.'),
  attribute('honorificSuffix', 'What follows the name, such as III.'),
];

const ADDRESS = [
  attribute('formatted', 'The full address, formatted for display.'),
  attribute('streetAddress', 'Street and number.'),
  attribute('locality', 'The city.'),
  attribute('region', 'The state or region.'),
  attribute('postalCode', 'The postal code.'),
  attribute('country', 'The country.'),
];

const display = attribute('display', 'The value to display.');

// Microsoft's validator flattens the schema and compares the result with its mapping. It expects emails[type eq
// "work"].value, so each `type` has canonical values, and roles[primary eq "True"].value, so the `type` of `roles` has
// none.
export const USER: ResourceSchema = resourceSchema({
  name: 'User',
  endpoint: '/Users',
  core: {
    id: USER_URN,
    name: 'User',
    description: 'A user of the organization.',
    attributes: [
      attribute('userName', 'The name by which the directory knows the user.', {
        required: true,
        uniqueness: 'server',
        maxLength: 256,
      }),
      externalId,
      complex('name', 'The parts of the name.', NAME),
      attribute('displayName', 'The name to display.'),
      attribute('title', 'The job title.'),
      attribute('preferredLanguage', 'The preferred languages, as in Accept-Language.'),
      attribute('active', 'Whether the user is active.', { type: 'boolean', required: true }),
      list(
        'emails',
        'The email addresses.',
        [
          attribute('value', 'The address.', { required: true }),
          display,
          type(['work', 'home', 'other']),
          primary,
        ],
        { required: true },
      ),
      list('phoneNumbers', 'The telephone numbers.', [
        attribute('value', 'The number.'),
        display,
        type(['work', 'mobile', 'fax', 'home', 'other']),
        primary,
      ]),
      list('addresses', 'The postal addresses.', [...ADDRESS, type(['work', 'home', 'other']), primary]),
      list(
        'roles',
        'The roles. A primary one that is member, admin or viewer becomes the role of the user.',
        [attribute('value', 'The role.'), display, type(), primary],
      ),
      list(
        'groups',
        'The groups that the user is a member of.',
        [
          attribute('value', 'The id of the group.', { caseExact: true, mutability: 'readOnly' }),
          attribute('$ref', 'The address of the group.', {
            type: 'reference',
            referenceTypes: ['Group'],
            caseExact: true,
            mutability: 'readOnly',
          }),
          attribute('display', 'The name of the group.', { mutability: 'readOnly' }),
        ],
        { mutability: 'readOnly' },
      ),
    ],
  },
  extension: {
    id: ENTERPRISE_URN,
    name: 'EnterpriseUser',
    description: 'Enterprise attributes of a user.',
    attributes: [
      attribute('employeeNumber', 'The employee number.', { caseExact: true }),
      attribute('department', 'The department.'),
      complex('manager', 'The manager of the user.', [
        attribute('value', 'The id of the manager in the directory or here.', { caseExact: true }),
      ]),
    ],
  },
  // Not declared, because it is not stored. Some directories set it, and a refusal would fail their whole request.
  undeclared: [
    attribute('password', 'Accepted and discarded.', { mutability: 'writeOnly', returned: 'never' }),
  ],
  mandatory: ['userName'],
  irremovable: ['userName', 'active'],
});
