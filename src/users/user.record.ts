import { USER_FIELD_LIST, type UserFields } from './user.fields';
import type { UserView } from './user.view';

/** A user, as every method of the services returns it and every response shows it. */
export type UserRecord = UserView;

/** Returns the fields in `USER_FIELDS` only, so that nobody sees another column of the row. */
export function recordOf(row: UserFields): UserRecord {
  const record: Record<string, unknown> = {};
  for (const { name } of USER_FIELD_LIST) record[name] = row[name];
  return record as unknown as UserRecord;
}
