import type { Order } from '../pages/paginate';
import { searched, stringsIn } from './search/search-text';

export const ROLES = ['member', 'admin', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export type Metadata = Record<string, unknown>;

interface Field<Value> {
  column: string;
  /** `code` is text that JSON never has to escape. */
  kind: 'code' | 'text' | 'json' | 'time';
  /** Whether callers set it; the service sets the other fields. */
  writable: boolean;
  /** What a new user has if the caller names nothing. */
  fallback?: Value;
  /** What makes two values the same, and what they are sorted by: the column `<column>_key`. */
  key?: (value: Value) => string;
  /** The value as the search reads it: the column `<column>_words`. */
  words?: (value: Value) => string;
  /** The columns of an index that follow the organization, unique together, and the default direction. */
  sort?: { by: readonly string[]; order: Order };
}

/** Carries the type of a field's value; nothing has this property. */
interface Typed<Value> {
  readonly value?: Value;
}

const field =
  <Value>() =>
  <const Definition extends Field<Value>>(definition: Definition) =>
    definition as Definition & Typed<Value>;

/** What emails are compared by. */
export const emailKey = (email: string) => email.normalize('NFKC').toLowerCase();

/** Names are sorted by this many characters: compatibility forms can unfold to more than an index entry can hold. */
const MAX_NAME_WORDS = 300;

/**
 * Every field of a user, in the order in which responses show them. Columns, statements, JSON, CSV and the entity follow
 * from this list: to add a field, write a migration, add a line here and add it to the DTO and the view.
 */
export const USER_FIELDS = {
  id: field<string>()({ column: 'id', kind: 'code', writable: false }),
  name: field<string>()({
    column: 'name',
    kind: 'text',
    writable: true,
    key: (name) => name.toLowerCase(),
    words: (name) => [...searched(name)].slice(0, MAX_NAME_WORDS).join(''),
    sort: { by: ['name_key', 'name', 'id'], order: 'asc' },
  }),
  email: field<string>()({
    column: 'email',
    kind: 'text',
    writable: true,
    key: emailKey,
    words: searched,
    sort: { by: ['email_key'], order: 'asc' },
  }),
  role: field<Role>()({ column: 'role', kind: 'code', writable: true, fallback: 'member' }),
  // Not jsonb: it writes 5e-324 with 326 characters, and forgets the order of keys.
  metadata: field<Metadata>()({
    column: 'metadata',
    kind: 'json',
    writable: true,
    fallback: {},
    words: (metadata) => [...stringsIn(metadata)].map(searched).join('\n'),
  }),
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

/** A user, as responses and services show it. */
export type UserFields = { [Name in UserFieldName]: ValueOf<Definitions[Name]> };

export type WritableName = NamesWhere<{ writable: true }>;

/** The fields that callers set. */
export type WritableFields = Pick<UserFields, WritableName>;

export type UserSort = NamesWhere<{ sort: object }>;

const names = Object.keys(USER_FIELDS) as UserFieldName[];

/** The fields as a list: for programs that treat them all alike. */
export const USER_FIELD_LIST = names.map((name) => ({
  name,
  ...(USER_FIELDS[name] as unknown as Field<never>),
}));

export const WRITABLE_NAMES = names.filter((name): name is WritableName => USER_FIELDS[name].writable);

export const USER_SORTS = names.filter((name): name is UserSort => 'sort' in USER_FIELDS[name]);
