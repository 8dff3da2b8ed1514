import type { EntityManager } from 'typeorm';
import { execute, query, raw, sql } from '../../database/sql';
import type { GroupOfUser } from '../../groups/members/first-members';
import { User } from '../../users/user/user.entity';
import { emailKey } from '../../users/user/user.keys';
import { invalidValue } from '../schema/scim-error';
import { type DirectoryUser, directoryUser, type ShownUser, writableAttributes } from './user-resource';
import { matchKeys } from './match-keys';
import { ScimUser } from './scim-user.entity';

/** A user with the attributes that a directory has set. */
export interface FoundUser {
  user: ShownUser;
  directory: DirectoryUser | null;
  /** Absent if they have not been read. */
  groups?: readonly GroupOfUser[];
}

const COLUMNS = raw(
  `user_id AS "userId", user_name AS "userName", external_id AS "externalId", attributes, email, name`,
);

/** The attributes that directories have set for these users. */
export const findDirectoryUsers = (
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<(DirectoryUser & { userId: string })[]> =>
  query(
    manager,
    sql`SELECT ${COLUMNS} FROM unnest(${ids}::text[]) AS wanted (id), LATERAL (
          SELECT * FROM ${ScimUser} WHERE organization_id = ${organizationId} AND user_id = wanted.id OFFSET 0
        ) AS scim_users`,
  );

/** Writes the directory's attributes of the user, in the transaction that writes the user. */
export async function putDirectoryUser(
  manager: EntityManager,
  user: Pick<User, 'organizationId' | 'id' | 'name' | 'email' | 'active'>,
  directory: DirectoryUser,
): Promise<void> {
  const { userName, externalId, attributes, email, name } = directory;
  const keys = matchKeys(writableAttributes(user, directory));
  await execute(
    manager,
    sql`INSERT INTO ${ScimUser} (organization_id, user_id, user_name, external_id, attributes, email, name, keys)
        VALUES (${user.organizationId}, ${user.id}, ${userName}, ${externalId}, ${JSON.stringify(attributes)}, ${email}, ${name}, ${keys})
        ON CONFLICT (organization_id, user_id) DO UPDATE SET
          user_name = excluded.user_name, external_id = excluded.external_id, attributes = excluded.attributes,
          email = excluded.email, name = excluded.name, keys = excluded.keys`,
  );
}

/** After a change through the API: its values replace those of the directory. */
export async function followUser(manager: EntityManager, user: User, old: DirectoryUser): Promise<void> {
  if (user.name === old.name && user.email === old.email) return;
  await putDirectoryUser(manager, user, directoryUser(writableAttributes(user, old), user));
}

/** The keys of those addresses that other users have. */
export async function takenEmails(
  manager: EntityManager,
  organizationId: string,
  emails: readonly string[],
  ownId = '',
): Promise<Set<string>> {
  const taken = await query<{ key: string }>(
    manager,
    sql`SELECT wanted.key FROM unnest(${emails.map(emailKey)}::text[]) AS wanted (key), LATERAL (
          SELECT id FROM ${User} WHERE organization_id = ${organizationId} AND email_key = wanted.key OFFSET 0
        ) AS users WHERE id <> ${ownId}`,
  );
  return new Set(taken.map(({ key }) => key));
}

/** PostgreSQL does not index much longer texts. */
const MAX_KEY_BYTES = 1024;

/** The form in which user names are compared. */
export function userNameKey(userName: string): string {
  const key = emailKey(userName.trim());
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) throw invalidValue('userName is too long');
  return key;
}
