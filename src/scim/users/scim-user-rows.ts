import type { EntityManager } from 'typeorm';
import { type GroupOfUser, groupsOfUser } from '../../groups/members/first-members';
import { columnsOf, insertSql } from '../../platform/database/columns';
import { execute, query, raw, sql } from '../../platform/database/sql';
import { User } from '../../users/user/user.entity';
import { emailKey } from '../../users/user/user.keys';
import { invalidValue } from '../schema/scim-error';
import { matchKeys } from './match-keys';
import { ScimUser } from './scim-user.entity';
import {
  type DirectoryUser,
  directoryUser,
  type ShownUser,
  type StoredDirectoryUser,
  writableAttributes,
} from './user-resource';

const SHOWN = columnsOf(User, ['id', 'name', 'email', 'active', 'version', 'createdAt', 'updatedAt']).select;
const STORED = columnsOf(ScimUser).select;
const WRITTEN = columnsOf(ScimUser, [
  'userName',
  'externalId',
  'attributes',
  'email',
  'name',
  'derived',
  'keys',
]);

/** A user with the attributes that a directory has set. */
export interface FoundUser {
  user: ShownUser;
  directory: DirectoryUser | null;
  /** Absent if they have not been read. */
  groups?: readonly GroupOfUser[];
}

/** What belongs to the user is JSON, which takes ten times the memory when it is parsed. */
type UserRow = ShownUser & Record<'directory' | 'groups', string | null>;

/** These users with everything that belongs to them, in the same order; groups only if `shownGroups` is not 0. */
export async function readUsers(
  manager: EntityManager,
  organizationId: string,
  wanted: readonly Pick<User, 'id'>[],
  shownGroups: number,
): Promise<UserRow[]> {
  const ids = wanted.map(({ id }) => id);
  const groups = shownGroups > 0 ? groupsOfUser(organizationId, raw('users.id'), shownGroups) : raw('NULL');
  const directory = sql`(
    SELECT json_build_object(
      'userName', user_name, 'externalId', external_id, 'attributes', attributes, 'email', email, 'name', name)
    FROM ${ScimUser} WHERE organization_id = ${organizationId} AND user_id = users.id)`;
  const rows = await query<UserRow>(
    manager,
    sql`SELECT ${SHOWN}, ${directory}::text AS directory, ${groups}::text AS groups
        FROM unnest(${ids}::text[]) AS wanted (user_id),
        LATERAL (SELECT * FROM ${User} WHERE organization_id = ${organizationId} AND id = wanted.user_id OFFSET 0) AS users`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** A row with its JSON parsed. */
export const foundUser = ({ directory, groups, ...user }: UserRow): FoundUser => ({
  user,
  directory: directory === null ? null : (JSON.parse(directory) as DirectoryUser),
  groups: groups === null ? [] : (JSON.parse(groups) as GroupOfUser[]),
});

/** The attributes that directories have set for these users. */
export const findDirectoryUsers = (
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<Omit<ScimUser, 'keys'>[]> =>
  query(
    manager,
    sql`SELECT ${STORED} FROM unnest(${ids}::text[]) AS wanted (id), LATERAL (
          SELECT * FROM ${ScimUser} WHERE organization_id = ${organizationId} AND user_id = wanted.id OFFSET 0
        ) AS scim_users`,
  );

type WrittenUser = Pick<User, 'organizationId' | 'id' | 'name' | 'email' | 'active'>;

/** Writes the directory's attributes of the user, in the transaction that writes the user. */
export async function putDirectoryUser(
  manager: EntityManager,
  user: WrittenUser,
  directory: StoredDirectoryUser,
): Promise<void> {
  const keys = matchKeys(writableAttributes(user, directory));
  const row = { ...directory, organizationId: user.organizationId, userId: user.id, keys };
  await execute(
    manager,
    sql`${insertSql(ScimUser, [row])} ON CONFLICT (organization_id, user_id) DO UPDATE SET ${WRITTEN.excluded}`,
  );
}

/** The values of the user replace those of the directory. No directory has set an attribute that is new by that. */
export async function followUser(
  manager: EntityManager,
  user: WrittenUser,
  old: StoredDirectoryUser,
): Promise<StoredDirectoryUser> {
  const attributes = writableAttributes(user, old);
  const added = ['displayName', 'emails'].filter((name) => attributes[name] && !old.attributes[name]);
  const directory = directoryUser(attributes, user, [...new Set([...old.derived, ...added])]);
  await putDirectoryUser(manager, user, directory);
  return directory;
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
