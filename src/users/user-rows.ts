import type { EntityManager } from 'typeorm';
import { recordEvents } from '../events/record-events';
import { findLocked } from '../platform/database/find-locked';
import { isId, newId } from '../platform/database/id';
import { anyOf, query, sql } from '../platform/database/sql';
import type { Caller } from '../platform/http/caller';
import { noSuchOrganization, notFound } from '../platform/http/fault';
import { filterOf, type UserFilter } from './query/user.filter';
import { putSearchTexts } from './search/user-search.rows';
import { UNIQUE_FIELDS } from './user/unique-fields';
import { User, USER_COLUMNS, type UserFields } from './user/user.entity';
import { userEvent } from './user/user.events';
import { withKeys } from './user/user.keys';

/** The users with these ids, in their order; null for an id that nobody has. */
export async function findUsersById(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<(User | null)[]> {
  const rows = await query<User>(
    manager,
    sql`SELECT ${USER_COLUMNS.select} FROM ${User} WHERE organization_id = ${organizationId} AND id = ${anyOf(ids, 'text')}`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? null);
}

/** The user who passes the filter, which has a unique value; null if nobody does. */
export async function findUserWith(
  manager: EntityManager,
  organizationId: string,
  filter: UserFilter,
): Promise<User | null> {
  const [user = null] = await query<User>(
    manager,
    sql`SELECT ${USER_COLUMNS.select} FROM ${User} WHERE organization_id = ${organizationId} AND ${filterOf(filter)}`,
  );
  return user;
}

/** The user, locked until the transaction ends. Throws a 404. */
export async function lockUser(manager: EntityManager, organizationId: string, id: string): Promise<User> {
  const user = isId('usr', id) ? await findLocked(manager, User, { organizationId, id }) : null;
  if (!user) throw userNotFound();
  return user;
}

/** Inserts a user with its search text and its event. */
export async function insertUser(
  manager: EntityManager,
  by: Caller,
  fields: UserFields,
  userNameKey: string | null = null,
): Promise<User> {
  const { organizationId } = by;
  const user = manager.create(User, {
    organizationId,
    id: newId('usr'),
    ...withKeys(fields),
    userNameKey,
  });
  await manager.insert(User, user); // which reads back the version and the times
  await putSearchTexts(manager, [{ after: user }]);
  await recordEvents(manager, userEvent(by, 'user.created', user));
  return user;
}

export const userNotFound = () => notFound('There is no such user.');

/** The constraints of `users` that a write can violate, with the exceptions that the caller gets. */
export const USER_VIOLATIONS = { ...UNIQUE_FIELDS, users_organization_id_fkey: noSuchOrganization };
