import type { UserText } from './user-columns';
import { USER_FIELD_LIST, type UserFields } from './user.fields';
import { kindOf } from './user.kinds';
import type { UserView } from './user.view';

/** Returns the fields in `USER_FIELDS` only, so that a response cannot expose other columns. */
export function serializeUser(user: UserFields): UserView {
  const view: Record<string, unknown> = {};
  for (const { name } of USER_FIELD_LIST) view[name] = user[name];
  return view as unknown as UserView;
}

const MEMBERS = USER_FIELD_LIST.map(({ name, kind }, i) => ({
  name,
  prefix: `${i === 0 ? '{' : ','}"${name}":`,
  toJson: kindOf(kind).toJson,
}));

/** The same as JSON text, from a row of `TEXT_COLUMNS`. */
export function userAsJson(user: UserText): string {
  let json = '';
  for (const { name, prefix, toJson } of MEMBERS) json += prefix + toJson(user[name]);
  return `${json}}`;
}
