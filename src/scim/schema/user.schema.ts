import { attribute, type Attribute, complex, externalId, reference, type } from './attribute';
import { type ResourceSchema, resourceSchema } from './resource-schema';

export const USER_URN = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE_URN = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const NAME = [
  attribute('formatted', 'The full name, formatted for display.', { isKeyed: true }),
  attribute('familyName', 'The family name.', { isKeyed: true }),
  attribute('givenName', 'The given name.', { isKeyed: true }),
  attribute('middleName', 'The middle names.', { isKeyed: true }),
  attribute('honorificPrefix', 'What precedes the name, such as Dr.', { isKeyed: true }),
  attribute('honorificSuffix', 'What follows the name, such as III.', { isKeyed: true }),
];

const ADDRESS = [
  attribute('formatted', 'The full address, formatted for display.'),
  attribute('streetAddress', 'Street and number.'),
  attribute('locality', 'The city.'),
  attribute('region', 'The state or region.'),
  attribute('postalCode', 'The postal code.'),
  attribute('country', 'The country.'),
];

const ADDRESS_TYPES = ['work', 'home', 'other'];
const PHONE_TYPES = ['work', 'mobile', 'fax', 'home', 'other'];
const PHOTO_TYPES = ['photo', 'thumbnail'];
const IM_SERVICES = ['aim', 'gtalk', 'icq', 'xmpp', 'msn', 'skype', 'qq', 'yahoo'];

/** A list of complex values. At most one of them is the primary one. */
const list = (
  name: string,
  description: string,
  subAttributes: readonly Attribute[],
  types?: readonly string[],
): Attribute => complex(name, description, [...subAttributes, type(types), PRIMARY], { multiValued: true });

const PRIMARY = attribute('primary', 'Whether this is the preferred value; true for at most one.', {
  type: 'boolean',
});

/** The value of an element, and the text to display for it. */
const value = (description: string, options: Partial<Attribute> = {}) => [
  attribute('value', description, options),
  attribute('display', 'The value to display.'),
];

const KEYED_ID = { caseExact: true, isKeyed: true } as const;
const READ_ONLY = { mutability: 'readOnly' } as const;

// Microsoft's validator flattens the schema and compares the result with its mapping. It expects emails[type eq
// "work"].value, so the `type` of `emails` has canonical values, and roles[primary eq "True"].value, so that of `roles`
// has none.
export const USER: ResourceSchema = resourceSchema({
  name: 'User',
  endpoint: '/Users',
  core: {
    id: USER_URN,
    name: 'User Account',
    description: 'A user of the organization.',
    attributes: [
      attribute('userName', 'The name by which the directory knows the user.', {
        required: true,
        uniqueness: 'server',
        maxLength: 256,
      }),
      { ...externalId, isKeyed: true },
      complex('name', 'The parts of the name.', NAME),
      attribute('displayName', 'The name to display.', { isKeyed: true }),
      attribute('nickName', 'The casual name.'),
      attribute('profileUrl', 'The address of a page about the user.', reference('external')),
      attribute('title', 'The job title.'),
      attribute('userType', 'The relationship to the organization, such as Contractor.'),
      attribute('preferredLanguage', 'The preferred languages, as in Accept-Language.'),
      attribute('locale', 'The region by whose conventions dates and numbers are formatted, such as en-US.'),
      attribute('timezone', 'The time zone, such as Europe/Berlin.'),
      attribute('active', 'Whether the user is active.', { type: 'boolean', required: true }),
      {
        ...list('emails', 'The email addresses.', value('The address.', { required: true }), ADDRESS_TYPES),
        required: true,
      },
      list('phoneNumbers', 'The telephone numbers.', value('The number.'), PHONE_TYPES),
      list('ims', 'The addresses for instant messages.', value('The address.'), IM_SERVICES),
      list('photos', 'The addresses of photos.', value('The address.', reference('external')), PHOTO_TYPES),
      list('addresses', 'The postal addresses.', ADDRESS, ADDRESS_TYPES),
      list('entitlements', 'The things that the user is entitled to.', value('The entitlement.')),
      list(
        'roles',
        'The roles. A primary one that is member, admin or viewer becomes the role of the user.',
        value('The role.'),
      ),
      list(
        'x509Certificates',
        'The certificates of the user.',
        value('The certificate, in base64.', { type: 'binary', caseExact: true }),
      ),
      complex(
        'groups',
        'The groups that the user is a member of.',
        [
          attribute('value', 'The id of the group.', { caseExact: true, ...READ_ONLY }),
          attribute('$ref', 'The address of the group.', { ...reference('Group'), ...READ_ONLY }),
          attribute('display', 'The name of the group.', READ_ONLY),
        ],
        { multiValued: true, ...READ_ONLY },
      ),
    ],
  },
  extension: {
    id: ENTERPRISE_URN,
    name: 'EnterpriseUser',
    description: 'Enterprise attributes of a user.',
    attributes: [
      attribute('employeeNumber', 'The employee number.', KEYED_ID),
      attribute('costCenter', 'The cost center.'),
      attribute('organization', 'The organization.'),
      attribute('division', 'The division.'),
      attribute('department', 'The department.', { isKeyed: true }),
      complex('manager', 'The manager of the user.', [
        attribute('value', 'The id of the manager in the directory or here.', KEYED_ID),
        attribute('$ref', 'The address of the manager.', reference('User')),
        // Read-only in RFC 7643. Okta writes it, and the manager need not be a user here whose name could be shown.
        attribute('displayName', 'The name of the manager.'),
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

const keyedOf = (attributes: readonly Attribute[]): string[] =>
  attributes.flatMap(({ path, isKeyed, subAttributes = [] }) => (isKeyed ? [path] : keyedOf(subAttributes)));

/** The attributes that a filter finds by the keys of users, besides their emails. */
export const KEYED: readonly string[] = keyedOf([...USER.core.attributes, ...USER.extension!.attributes]);
