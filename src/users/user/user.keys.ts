import { foldName } from './fold';
import type { User, UserFields } from './user.entity';

/** The form in which emails are compared: letter case and compatibility forms are ignored. */
export const emailKey = (email: string) => email.normalize('NFKC').toLowerCase();

/** Limits `name_key`: compatibility forms can expand a name beyond the size of an index entry. */
const MAX_NAME_KEY_LENGTH = 160;

const nameKey = (name: string) => [...foldName(name)].slice(0, MAX_NAME_KEY_LENGTH).join('');

/** These fields, with the key of each that has one. */
export const withKeys = <Fields extends Partial<UserFields>>(
  fields: Fields,
): Fields & Partial<Pick<User, 'nameKey' | 'emailKey'>> => ({
  ...fields,
  ...(fields.name !== undefined && { nameKey: nameKey(fields.name) }),
  ...(fields.email !== undefined && { emailKey: emailKey(fields.email) }),
});
