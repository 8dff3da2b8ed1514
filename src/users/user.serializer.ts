import type { UserText } from './user-columns';
import { USER_FIELD_LIST, type UserFields } from './user.fields';
import type { UserView } from './user.view';

/** A user as every response shows it: the listed fields and no others. */
export function serializeUser(user: UserFields): UserView {
  const shown: Record<string, unknown> = {};
  for (const { name } of USER_FIELD_LIST) shown[name] = user[name];
  return shown as unknown as UserView;
}

const MEMBERS = USER_FIELD_LIST.map(({ name, kind }, i) => ({
  name,
  before: `${i === 0 ? '{' : ','}"${name}":`,
  write:
    kind === 'text'
      ? JSON.stringify
      : kind === 'json'
        ? (json: string) => json
        : (text: string) => `"${text}"`,
}));

/** The same as JSON. */
export function userAsJson(user: UserText): string {
  let json = '';
  for (const { name, before, write } of MEMBERS) json += before + write(user[name]);
  return `${json}}`;
}
