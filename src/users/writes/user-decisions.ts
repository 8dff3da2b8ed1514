import { isDeepStrictEqual } from 'node:util';
import { columnsOf, searchTextOf } from '../user-columns';
import type { User } from '../user.entity';
import { USER_FIELDS, WRITABLE_NAMES, type WritableFields } from '../user.fields';
import type { UserChange } from './user-statements';

/** Judges the version of a user; false if the condition of a write does not hold for it. */
export type Precondition = (version: number) => boolean;

/** JSON is compared as it is stored: it knows no -0 and no undefined. */
const isSame = (name: keyof WritableFields, one: unknown, other: unknown) =>
  USER_FIELDS[name].kind === 'json'
    ? isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)))
    : one === other;

/** The fields that have another value. Objects are equal whatever the order of their keys. */
export const changedFields = (user: WritableFields, fields: Partial<WritableFields>) =>
  WRITABLE_NAMES.filter((name) => fields[name] !== undefined && !isSame(name, fields[name], user[name]));

/** What is to be written to change these fields of a user, or undefined if that changes nothing. */
export function changeOf(user: User, fields: Partial<WritableFields>): UserChange | undefined {
  const names = changedFields(user, fields);
  if (names.length === 0) return undefined;
  const changed = Object.fromEntries(names.map((name) => [name, fields[name]])) as Partial<WritableFields>;
  const columns = columnsOf(changed);
  const { id, version } = user;
  if (!names.some((name) => `${name}_text` in columns)) return { id, version, fields: changed, columns };
  const before = columnsOf(user);
  const after = { ...before, ...columns };
  const [text, replacedText] = [searchTextOf(after), searchTextOf(before)];
  const search = { nameKey: String(after.name_key), name: String(after.name), text, replacedText };
  return { id, version, fields: changed, columns, search };
}
