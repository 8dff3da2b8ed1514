import type { UserText } from './user-columns';
import { USER_FIELD_LIST } from './user.fields';
import { kindOf } from './user.kinds';

const MEMBERS = USER_FIELD_LIST.map(({ name, kind }, i) => ({
  name,
  prefix: `${i === 0 ? '{' : ','}"${name}":`,
  toJson: kindOf(kind).toJson,
}));

/** A user as JSON text, from a row of `TEXT_COLUMNS`; it has the fields in `USER_FIELDS` only. */
export function userAsJson(user: UserText): string {
  let json = '';
  for (const { name, prefix, toJson } of MEMBERS) json += prefix + toJson(user[name]);
  return `${json}}`;
}
