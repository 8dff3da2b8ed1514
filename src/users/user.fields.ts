import type { Order } from '../pages/paginate';
import { foldName, stringsIn, toSearchText } from './search/search-text';
import type { KINDS } from './user.kinds';

export const ROLES = ['member', 'admin', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export type Metadata = Record<string, unknown>;

interface Field<Value> {
  column: string;
  kind: keyof typeof KINDS;
  /** Whether callers may set it; the service sets the other fields. */
  writable: boolean;
  /** The default for a new user. */
  fallback?: () => Value;
  /** Normalizes the value for comparing and sorting; stored in the column `<column>_key`. */
  key?: (value: Value) => string;
  /** The value's part of the search text; see `user_search`. */
  text?: (value: Value) => string;
  /** The index columns after the organization, which are unique together, and the default direction. */
  sort?: { by: readonly string[]; order: Order };
}

/** Carries the type of a field's value; the property does not exist at run time. */
interface Typed<Value> {
  readonly value?: Value;
}

const field =
  <Value>() =>
  <const Definition extends Field<Value>>(definition: Definition) =>
    definition as Definition & Typed<Value>;

/** The form in which emails are compared: letter case and compatibility forms are ignored. */
export const emailKey = (email: string) => email.normalize('NFKC').toLowerCase();

/** Limits `name_key`: compatibility forms can expand a name beyond the size of an index entry. */
const MAX_NAME_KEY_LENGTH = 160;

/**
 * Every field of a user, in the order in which responses show them. Columns, statements, JSON, CSV and the entity are
 * derived from this list. To add a field, write a migration and add the field here, to the DTO and to the view.
 */
export const USER_FIELDS = {
  id: field<string>()({ column: 'id', kind: 'plain', writable: false }),
  name: field<string>()({
    column: 'name',
    kind: 'text',
    writable: true,
    key: (name) => [...foldName(name)].slice(0, MAX_NAME_KEY_LENGTH).join(''),
    text: toSearchText,
    sort: { by: ['name_key', 'name', 'id'], order: 'asc' },
  }),
  email: field<string>()({
    column: 'email',
    kind: 'text',
    writable: true,
    key: emailKey,
    text: toSearchText,
    sort: { by: ['email_key'], order: 'asc' },
  }),
  role: field<Role>()({ column: 'role', kind: 'plain', writable: true, fallback: () => 'member' }),
  // Not jsonb, which writes 5e-324 in 326 characters and does not keep the order of keys.
  metadata: field<Metadata>()({
    column: 'metadata',
    kind: 'json',
    writable: true,
    fallback: () => ({}),
    text: (metadata) => [...stringsIn(metadata)].map(toSearchText).filter(Boolean).join('\n'),
  }),
  version: field<number>()({ column: 'version', kind: 'integer', writable: false }),
  createdAt: field<Date>()({
    column: 'created_at',
    kind: 'time',
    writable: false,
    sort: { by: ['created_at', 'id'], order: 'desc' },
  }),
  updatedAt: field<Date>()({
    column: 'updated_at',
    kind: 'time',
    writable: false,
    sort: { by: ['updated_at', 'id'], order: 'desc' },
  }),
};

type Definitions = typeof USER_FIELDS;
type ValueOf<Definition> = Definition extends Typed<infer Value> ? Value : never;
type NamesWhere<Condition> = {
  [Name in keyof Definitions]: Definitions[Name] extends Condition ? Name : never;
}[keyof Definitions];

export type UserFieldName = keyof Definitions;

/** The fields of a user, as services return them and responses show them. */
export type UserFields = { [Name in UserFieldName]: ValueOf<Definitions[Name]> };

type WritableName = NamesWhere<{ writable: true }>;

/** The fields that callers may set. */
export type WritableFields = Pick<UserFields, WritableName>;

/** The columns and parts of the search text that are computed from a caller's fields. */
export type WrittenColumn = {
  [Name in WritableName]:
    | Definitions[Name]['column']
    | (Definitions[Name] extends { key: unknown } ? `${Definitions[Name]['column']}_key` : never)
    | (Definitions[Name] extends { text: unknown } ? `${Definitions[Name]['column']}_text` : never);
}[WritableName];

export type UserSort = NamesWhere<{ sort: object }>;

const names = Object.keys(USER_FIELDS) as UserFieldName[];

/** `USER_FIELDS` as a list, for code that treats all fields alike. */
export const USER_FIELD_LIST = names.map((name) => ({
  name,
  ...(USER_FIELDS[name] as unknown as Field<never>),
}));

export const WRITABLE_NAMES = names.filter((name): name is WritableName => USER_FIELDS[name].writable);

export const USER_SORTS = names.filter((name): name is UserSort => 'sort' in USER_FIELDS[name]);
