import type { Directory } from '../../../client/index.ts';
import { titleOf } from '../../ui/format.ts';

type Group = 'Person' | 'Work' | 'Contact';

/** The place of an attribute and its label. */
type Place = [group: Group, label: string];

/** All attributes of a directory, in the order in which a person would look for them. */
const ATTRIBUTES: Record<keyof Directory, Place> = {
  displayName: ['Person', 'Display name'],
  name: ['Person', 'Name'],
  nickName: ['Person', 'Nickname'],
  userName: ['Person', 'User name'],
  externalId: ['Person', 'ID in the directory'],
  preferredLanguage: ['Person', 'Languages'],
  locale: ['Person', 'Locale'],
  timezone: ['Person', 'Time zone'],
  profileUrl: ['Person', 'Profile'],
  photos: ['Person', 'Photos'],
  x509Certificates: ['Person', 'Certificates'],
  title: ['Work', 'Job title'],
  department: ['Work', 'Department'],
  division: ['Work', 'Division'],
  organization: ['Work', 'Organization'],
  manager: ['Work', 'Manager'],
  employeeNumber: ['Work', 'Employee number'],
  costCenter: ['Work', 'Cost center'],
  userType: ['Work', 'Kind of employment'],
  roles: ['Work', 'Roles'],
  entitlements: ['Work', 'Entitlements'],
  emails: ['Contact', 'Emails'],
  phoneNumbers: ['Contact', 'Phone numbers'],
  ims: ['Contact', 'Instant messengers'],
  addresses: ['Contact', 'Addresses'],
};

const NAME_PARTS = ['honorificPrefix', 'givenName', 'middleName', 'familyName', 'honorificSuffix'] as const;
const ADDRESS_LINES = ['streetAddress', 'postalCode', 'locality', 'region', 'country'] as const;

/** The lines of text of each attribute that is there, by its label and in groups. */
export function directoryFacts(
  directory: Directory,
): [group: Group, facts: [label: string, lines: string[]][]][] {
  const groups = new Map<Group, [string, string[]][]>();
  for (const [name, [group, label]] of Object.entries(ATTRIBUTES)) {
    const lines = linesOf(directory, name as keyof Directory);
    if (lines.length > 0) groups.set(group, [...(groups.get(group) ?? []), [label, lines]]);
  }
  return [...groups];
}

/** The label of an attribute. A newer service may have others. */
export const directoryLabelOf = (name: string): string =>
  isKnown(name) ? ATTRIBUTES[name][1] : titleOf(name);

/** The value of an attribute as lines of text, or itself if only a newer service knows the attribute. */
export const directoryValueOf = (name: string, value: unknown): unknown =>
  isKnown(name) ? linesOf({ [name]: value }, name).join('\n') : value;

const isKnown = (name: string): name is keyof Directory => Object.hasOwn(ATTRIBUTES, name);

const linesOf = (directory: Directory, attribute: keyof Directory): string[] =>
  textsOf(directory, attribute).filter((text) => text !== '');

function textsOf(directory: Directory, attribute: keyof Directory): string[] {
  const { name, manager, x509Certificates = [] } = directory;
  switch (attribute) {
    case 'name':
      return name ? [fullName(name)] : [];
    case 'manager':
      return manager ? [managerOf(manager)] : [];
    case 'x509Certificates':
      return x509Certificates.length > 0 ? [String(x509Certificates.length)] : [];
    default:
      return [directory[attribute] ?? []]
        .flat()
        .map((value) => (typeof value === 'string' ? value : elementOf(value)));
  }
}

/** The text of an element, with what it is for. */
function elementOf(element: Element): string {
  const marks = [element.type, element.primary && 'primary'].filter(Boolean).join(', ');
  const text =
    'value' in element || 'display' in element ? (element.display ?? element.value!) : addressOf(element);
  return text && marks ? `${text} (${marks})` : text;
}

type Element = NonNullable<Directory['emails'] | Directory['addresses']>[number];

const joined = (parts: (string | undefined)[], separator: string) => parts.filter(Boolean).join(separator);

const fullName = (name: NonNullable<Directory['name']>) =>
  name.formatted ??
  joined(
    NAME_PARTS.map((part) => name[part]),
    ' ',
  );

/** The name says who it is, and the id where a name is shared. */
const managerOf = ({ displayName, value }: NonNullable<Directory['manager']>) =>
  displayName && value ? `${displayName} (${value})` : (displayName ?? value ?? '');

const addressOf = (element: NonNullable<Directory['addresses']>[number]) =>
  element.formatted?.replace(/\s*\n\s*/g, ', ') ??
  joined(
    ADDRESS_LINES.map((line) => element[line]),
    ', ',
  );
