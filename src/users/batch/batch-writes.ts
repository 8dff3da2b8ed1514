import type { EntityManager } from 'typeorm';
import { columnsOf } from '../../database/columns';
import { query, rowsOf, type Sql, sql } from '../../database/sql';
import { recordEvents } from '../../events/record-events';
import type { Caller } from '../../http/caller';
import { putSearchTexts } from '../search/user-search.entity';
import { User, USER_FIELDS, WRITABLE_FIELDS } from '../user/user.entity';
import { emailKey, withKeys } from '../user/user.keys';
import type { UserChange, UserLifecycle } from '../user/user-lifecycle';
import { userCreated, userUpdated } from '../user/user.events';
import { type KnownUser, type StoredUser, parsedUser } from './batch-rules';

/** The maximum characters of metadata in one statement; a single user may have more. */
const MAX_METADATA = 64 * 1024;

const STORED = columnsOf(User, ['organizationId', ...USER_FIELDS]);

const WRITTEN = columnsOf(User, [
  'organizationId',
  'id',
  ...WRITABLE_FIELDS,
  'nameKey',
  'emailKey',
  'version',
]);

/** The users with these emails, by email key. */
export async function findUsers(
  manager: EntityManager,
  organizationId: string,
  keys: string[],
): Promise<Map<string, KnownUser>> {
  return byEmailKey(await query(manager, selectUsers(organizationId, keys)));
}

/** The same users, locked until the transaction ends. The order of the locks prevents a deadlock of two batches. */
export async function findUsersLocked(
  manager: EntityManager,
  organizationId: string,
  keys: string[],
): Promise<Map<string, KnownUser>> {
  const statement = sql`
    SELECT ${STORED.selectJsonAsText} FROM ${User}
    WHERE organization_id = ${organizationId} AND id = ANY (ARRAY(SELECT id FROM (${selectUsers(organizationId, keys)}) AS found))
    ORDER BY id FOR NO KEY UPDATE`;
  return byEmailKey(await query(manager, statement));
}

/** Looks up each key in the index. For a join or = ANY, a planner without statistics would read all users. */
const selectUsers = (organizationId: string, keys: string[]): Sql => sql`
  SELECT ${STORED.selectJsonAsText} FROM unnest(${keys}::text[]) AS wanted (email_key), LATERAL (
    SELECT * FROM ${User} WHERE organization_id = ${organizationId} AND email_key = wanted.email_key OFFSET 0
  ) AS users`;

const byEmailKey = (users: StoredUser[]) =>
  new Map(users.map((stored): [string, KnownUser] => [emailKey(stored.email), { id: stored.id, stored }]));

/** The keys that are the user name of a user with another email. */
export async function findUserNames(
  manager: EntityManager,
  organizationId: string,
  keys: string[],
): Promise<Set<string>> {
  const names = await query<{ key: string }>(
    manager,
    sql`SELECT wanted.key FROM unnest(${keys}::text[]) AS wanted (key), LATERAL (
          SELECT FROM ${User} WHERE organization_id = ${organizationId} AND coalesce(user_name_key, email_key) = wanted.key
            AND user_name_key <> email_key OFFSET 0
        ) AS users`,
  );
  return new Set(names.map(({ key }) => key));
}

/**
 * Writes new users, and changed ones that are locked, by email key. Fails as a whole if another request has
 * created a user with one of the emails meanwhile.
 */
export async function writeUsers(
  manager: EntityManager,
  by: Caller,
  users: ReadonlyMap<string, KnownUser>,
  lifecycle: UserLifecycle,
): Promise<void> {
  const byEmail = [...users].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, user]) => user);
  for (const group of groupsOf(byEmail.filter(({ changes }) => changes)))
    await writeGroup(manager, by, group, lifecycle);
}

async function writeGroup(
  manager: EntityManager,
  by: Caller,
  group: readonly KnownUser[],
  lifecycle: UserLifecycle,
): Promise<void> {
  const users = group.map(({ id, stored, changes }) => {
    const before = stored && parsedUser(stored);
    const after = {
      ...before,
      ...withKeys({ ...before, ...changes }),
      organizationId: by.organizationId,
      id,
    };
    return { before, after: after as User };
  });
  await putUsers(manager, users);
  await putSearchTexts(manager, users);
  const changed = users.flatMap(({ before, after }) => (before ? [{ before, after }] : []));
  if (changed.length > 0) await lifecycle.changed(manager, by, changed);
  const events = users.map(({ before, after }, i) =>
    before ? userUpdated(by, before, after, group[i].changes!) : userCreated(by, after),
  );
  await recordEvents(manager, ...events);
}

/** Inserts new users and updates the others by their ids. Sets the version and the times of each. */
async function putUsers(manager: EntityManager, users: readonly UserChange[]): Promise<void> {
  const rows = users.map(({ before, after }) =>
    WRITTEN.valuesOf({ ...after, version: (before?.version ?? 0) + 1 }),
  );
  const written = await query<Pick<User, 'id' | 'version' | 'createdAt' | 'updatedAt'>>(
    manager,
    sql`INSERT INTO ${User} AS users (${WRITTEN.names})
        VALUES ${rowsOf(rows)}
        ON CONFLICT (organization_id, id) DO UPDATE SET
          ${WRITTEN.excluded}, updated_at = greatest(users.updated_at, excluded.updated_at)
        RETURNING id, version, created_at AS "createdAt", updated_at AS "updatedAt"`,
  );
  const byId = new Map(written.map((user) => [user.id, user]));
  for (const { after } of users) Object.assign(after, byId.get(after.id));
}

/**
 * The users of each statement: large metadata takes so long to index that one statement for all of them would time out.
 * New users come first; the order of their emails prevents a deadlock between two batches that create the same users.
 */
function groupsOf(users: readonly KnownUser[]): KnownUser[][] {
  const sorted = [...users.filter(({ stored }) => !stored), ...users.filter(({ stored }) => stored)];
  const groups: KnownUser[][] = [];
  let left = 0;
  for (const user of sorted) {
    const length = user.changes!.metadata
      ? JSON.stringify(user.changes!.metadata).length
      : user.stored!.metadata.length;
    if (groups.length === 0 || length > left) {
      groups.push([]);
      left = MAX_METADATA;
    }
    left -= length;
    groups.at(-1)!.push(user);
  }
  return groups;
}
