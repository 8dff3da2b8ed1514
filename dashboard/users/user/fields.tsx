import type { User } from '../../../client/index.ts';
import { CopyId } from '../../ui/copy.tsx';
import { Clip, type Column } from '../../ui/table.tsx';
import { Moment, ShortDate } from '../../ui/time.tsx';
import type { Field, WritableField } from './field.ts';
import { Person } from './person.tsx';
import { ROLES } from './roles.ts';
import { type UserValues, WRITABLE_FIELDS } from './values.ts';

/** What a directory has given is no field. */
type FieldName = Exclude<keyof User, 'directory'>;

/** Spelled as it is entered. */
const EXACT = { autocapitalize: 'off', spellcheck: false } as const;

/**
 * All that the dashboard says about the fields of a user, in the order of the API. The list, the form, the page of a
 * user, the import and the export are made from it.
 */
export const USER_FIELDS: Record<FieldName, Field> & {
  [Name in keyof UserValues]: WritableField<UserValues[Name]>;
} = {
  id: {
    title: 'ID',
    column: { place: 5, class: 'code', value: ({ id, name }) => <CopyId id={id} name={name} /> },
    fact: { place: 6, value: ({ id }) => <CopyId id={id} /> },
  },
  externalId: {
    title: 'External ID',
    column: {
      place: 4,
      class: 'more',
      value: ({ externalId }) => externalId !== null && <Clip text={externalId} />,
    },
    fact: { place: 5, value: ({ externalId }) => externalId && <bdi>{externalId}</bdi> },
    input: {
      place: 4,
      control: 'text',
      label: 'External ID',
      hint: 'Your own id of the user, such as a personnel number. Optional.',
      attributes: EXACT,
      initial: null,
    },
  },
  name: {
    title: 'Name',
    column: { place: 1, class: 'main wider', value: (user) => <Person {...user} /> },
    fact: null, // it is the heading
    input: { place: 1, control: 'text', label: 'Name', initial: '' },
  },
  email: {
    title: 'Email',
    column: { place: 2, class: 'email wider', value: ({ email }) => <Clip text={email} /> },
    fact: null, // it is below the heading
    input: {
      place: 2,
      control: 'text',
      label: 'Email',
      isHalf: true,
      attributes: { ...EXACT, inputMode: 'email' },
      initial: '',
    },
  },
  role: {
    title: 'Role',
    column: {
      place: 3,
      class: 'role',
      value: ({ role }) => <span class={role === 'admin' ? 'chip admin' : 'quiet'}>{ROLES[role]}</span>,
    },
    fact: { place: 1, value: ({ role }) => <span class="chip">{ROLES[role]}</span> },
    input: { place: 3, control: 'role', label: 'Role', isHalf: true, initial: 'member' },
  },
  active: {
    title: 'State',
    column: null, // the name says it of those who are inactive
    fact: { place: 2, value: ({ active }) => (active ? 'Active' : 'Inactive') },
    input: { place: 5, control: 'check', label: 'Active', initial: true },
  },
  metadata: {
    title: 'Metadata',
    column: null,
    fact: null, // it has a panel of its own
    input: { place: 6, control: 'metadata', label: 'Metadata', initial: {} },
  },
  version: {
    title: 'Version',
    column: null,
    fact: { place: 7, value: ({ version }) => <span class="quiet">{version}</span> },
  },
  createdAt: {
    title: 'Created',
    column: { place: 6, class: 'date', value: ({ createdAt }) => <ShortDate iso={createdAt} /> },
    fact: { place: 3, value: ({ createdAt }) => <Moment iso={createdAt} /> },
  },
  updatedAt: {
    title: 'Changed',
    column: { place: 7, class: 'date', value: ({ updatedAt }) => <ShortDate iso={updatedAt} /> },
    fact: { place: 4, value: ({ updatedAt }) => <Moment iso={updatedAt} /> },
  },
};

export const FIELD_NAMES = Object.keys(USER_FIELDS) as FieldName[];

export const COLUMNS = FIELD_NAMES.flatMap((name) => {
  const { title, column } = USER_FIELDS[name];
  return column ? [{ name, title, ...column }] : [];
}).sort(byPlace);

/** The column of a field in a list of other users, whose widths follow the content. */
export function columnOf(name: 'id' | 'name' | 'email' | 'role'): Column<User> {
  const { title, column } = USER_FIELDS[name];
  return { title, class: column?.class, value: column!.value };
}

export const FACTS = FIELD_NAMES.flatMap((name) => {
  const { title, fact } = USER_FIELDS[name];
  return fact ? [{ name, title, ...fact }] : [];
}).sort(byPlace);

/** A field of the form. */
export type Input = (typeof INPUTS)[number];

export const INPUTS = WRITABLE_FIELDS.map((name) => ({ name, ...USER_FIELDS[name].input })).sort(byPlace);

/** The values that the form of a new user begins with. */
export const NEW_USER = Object.fromEntries(
  INPUTS.map(({ name, initial }) => [name, initial]),
) as unknown as UserValues;

function byPlace(a: { place: number }, b: { place: number }): number {
  return a.place - b.place;
}
