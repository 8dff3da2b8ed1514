import { isDeepStrictEqual } from 'node:util';
import { type UserFields, WRITABLE_FIELDS } from './user.entity';

/** All fields of a new user: those that the caller left out have their defaults. */
export const withDefaults = (
  fields: Pick<UserFields, 'name' | 'email'> & Partial<UserFields>,
): UserFields => ({
  externalId: fields.externalId ?? null,
  name: fields.name,
  email: fields.email,
  role: fields.role ?? 'member',
  active: fields.active ?? true,
  metadata: fields.metadata ?? {},
});

/** The fields whose values change, or undefined if none does. Another order of keys in metadata is not a change. */
export function changesOf(user: UserFields, fields: Partial<UserFields>): Partial<UserFields> | undefined {
  const names = WRITABLE_FIELDS.filter(
    (name) => fields[name] !== undefined && !isSame(fields[name], user[name]),
  );
  return names.length > 0 ? Object.fromEntries(names.map((name) => [name, fields[name]])) : undefined;
}

export const isSame = (one: unknown, other: unknown) =>
  one === other || isDeepStrictEqual(stored(one), stored(other));

/** JSON as it is stored, without -0 and undefined. */
export const stored = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
