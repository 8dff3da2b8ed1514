import type { Directory, User } from '../../../client/index.ts';
import { titleOf } from '../../ui/format.ts';
import { Clip, type Column } from '../../ui/table.tsx';
import { directoryLabelOf, directoryValueOf } from '../user/directory.ts';
import { COLUMNS } from '../user/fields.tsx';
import type { UserFilter } from '../user/user-filter.ts';
import type { Choice } from './choice.ts';

/** A column that the list can have. */
export interface Offer extends Column<User> {
  /** A field of a user, or `directory.department`, or `metadata.plan`. */
  name: string;
  isShown: boolean;
}

const ALWAYS = ['name', 'email'];
const DIRECTORY = 'directory.';
const METADATA = 'metadata.';

/** What people look for in a list, of all that a directory may give. */
const ATTRIBUTES: (keyof Directory)[] = ['title', 'department', 'manager', 'employeeNumber'];

/** The maximum number of metadata keys that are offered besides those that were chosen. */
const MAX_KEYS = 5;

/** The columns that a list of these users can have, in their order. */
export function offersOf(users: User[], { sort }: UserFilter, choice: Choice): Offer[] {
  /** Where nobody has chosen: one date, and external ids if there are any. */
  const isUseful = (name: string) =>
    ({
      createdAt: sort !== 'updatedAt',
      updatedAt: sort === 'updatedAt',
      externalId: users.some(({ externalId }) => externalId !== null),
      id: false,
    })[name] ?? true;
  const fields = COLUMNS.map((column) => ({
    ...column,
    isShown: ALWAYS.includes(column.name) || (choice[column.name] ?? isUseful(column.name)),
  }));
  const more = [...ATTRIBUTES.map(attributeColumn), ...keysOf(users, choice).map(keyColumn)];
  const ofPeople = fields.filter(({ name }) => [...ALWAYS, 'role'].includes(name));
  return [
    ...ofPeople,
    ...more.map((column) => ({ ...column, class: 'more', isShown: choice[column.name] ?? false })),
    ...fields.filter((field) => !ofPeople.includes(field)),
  ];
}

/** The columns that can be turned on and off. */
export const canChoose = ({ name }: Offer): boolean => !ALWAYS.includes(name);

/** Whether the chosen columns need what a directory has set. */
export const needsDirectory = (choice: Choice): boolean =>
  ATTRIBUTES.some((name) => choice[DIRECTORY + name]);

const attributeColumn = (attribute: keyof Directory) => ({
  name: DIRECTORY + attribute,
  title: directoryLabelOf(attribute),
  value: ({ directory }: User) => textOf(directory && directoryValueOf(attribute, directory[attribute])),
});

const keyColumn = (key: string) => ({
  name: METADATA + key,
  title: titleOf(METADATA + key),
  head: <Clip text={key} />,
  value: ({ metadata }: User) => textOf(metadata[key]),
});

function textOf(value: unknown) {
  if (value === undefined || value === null || value === '') return false;
  return <Clip text={typeof value === 'string' ? value : JSON.stringify(value)} />;
}

/** The keys that most of the users have, and those that were chosen, in the order of the alphabet. */
function keysOf(users: User[], choice: Choice): string[] {
  const counts = new Map<string, number>();
  for (const { metadata } of users)
    for (const key of Object.keys(metadata)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const common = [...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_KEYS);
  const chosen = Object.keys(choice).filter((name) => name.startsWith(METADATA) && choice[name]);
  const keys = new Set([...common.map(([key]) => key), ...chosen.map((name) => name.slice(METADATA.length))]);
  return [...keys].sort();
}
