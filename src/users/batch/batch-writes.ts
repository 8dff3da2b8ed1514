import type { EntityManager } from 'typeorm';
import { columnsOf } from '../../database/columns';
import { query, raw, rowsOf, type Sql, sql } from '../../database/sql';
import { recordEvents } from '../../events/record-events';
import type { Caller } from '../../http/caller';
import { putSearchTexts } from '../search/user-search.entity';
import { User, USER_FIELDS, WRITABLE_FIELDS } from '../user/user.entity';
import { emailKey, withKeys } from '../user/user.keys';
import type { UserChange, UserLifecycle } from '../user/user-lifecycle';
import { userCreated, userUpdated } from '../user/user.events';
import {
  type KeyField,
  keyOf,
  type KnownUser,
  parsedUser,
  type StoredUser,
  type ValidatedRow,
} from './batch-rules';
import type { Owner } from './unique-values';

/** The maximum characters of metadata in one statement; a single user may have more. */
const MAX_METADATA = 64 * 1024;

const STORED = columnsOf(User, ['organizationId', ...USER_FIELDS, 'userNameKey']);

const WRITTEN = columnsOf(User, [
  'organizationId',
  'id',
  ...WRITABLE_FIELDS,
  'nameKey',
  'emailKey',
  'version',
]);

/** The users with these external ids or emails, by their keys. */
export async function findUsers(
  manager: EntityManager,
  organizationId: string,
  keys: string[],
  by: KeyField,
): Promise<Map<string, KnownUser>> {
  return byKey(await query(manager, selectUsers(organizationId, keys, by)), by);
}

/** The same users, locked until the transaction ends. The order of the locks prevents a deadlock of two batches. */
export async function findUsersLocked(
  manager: EntityManager,
  organizationId: string,
  keys: string[],
  by: KeyField,
): Promise<Map<string, KnownUser>> {
  const statement = sql`
    SELECT ${STORED.selectJsonAsText} FROM ${User}
    WHERE organization_id = ${organizationId} AND id = ANY (ARRAY(SELECT id FROM (${selectUsers(organizationId, keys, by)}) AS found))
    ORDER BY id FOR NO KEY UPDATE`;
  return byKey(await query(manager, statement), by);
}

/** Looks up each key in the index. For a join or = ANY, a planner without statistics would read all users. */
const selectUsers = (organizationId: string, keys: string[], by: KeyField): Sql => sql`
  SELECT ${STORED.selectJsonAsText} FROM unnest(${keys}::text[]) AS wanted (key), LATERAL (
    SELECT * FROM ${User} WHERE organization_id = ${organizationId} AND ${raw(KEY_COLUMNS[by])} = wanted.key OFFSET 0
  ) AS users`;

const KEY_COLUMNS: Record<KeyField, string> = { email: 'email_key', externalId: 'external_id' };

const byKey = (users: StoredUser[], by: KeyField) =>
  new Map(users.map((stored): [string, KnownUser] => [keyOf(stored[by]!, by), { id: stored.id, stored }]));

/** The users who have the other unique values of these rows. */
export function findOwners(
  manager: EntityManager,
  organizationId: string,
  rows: readonly ValidatedRow[],
  by: KeyField,
): Promise<Owner[]> {
  const emails = rows.flatMap(({ fields }) => (fields?.email === undefined ? [] : emailKey(fields.email)));
  const externalIds = rows.flatMap(({ fields }) => fields?.externalId ?? []);
  const owners = (field: Owner['field'], values: string[], condition: string) => sql`
    SELECT ${field} AS field, users.id, value FROM unnest(${values}::text[]) AS wanted (value), LATERAL (
      SELECT id FROM ${User} WHERE organization_id = ${organizationId} AND ${raw(condition)} OFFSET 0
    ) AS users`;
  return query<Owner>(
    manager,
    sql`${owners('email', by === 'email' ? [] : emails, 'email_key = value')}
        UNION ALL
        ${owners('userName', emails, 'coalesce(user_name_key, email_key) = value AND user_name_key IS NOT NULL')}
        UNION ALL
        ${owners('externalId', by === 'externalId' ? [] : externalIds, 'external_id = value')}`,
  );
}

/**
 * Writes new users, and changed ones that are locked, in their order. Fails as a whole if another request has given one
 * of their unique values to another user meanwhile.
 */
export async function writeUsers(
  manager: EntityManager,
  by: Caller,
  users: readonly KnownUser[],
  lifecycle: UserLifecycle,
): Promise<void> {
  for (const group of groupsOf(users)) await writeGroup(manager, by, group, lifecycle);
}

/** New users in the order of their emails, which prevents a deadlock of two batches that create the same users. */
export function newOnesFirst(users: readonly KnownUser[]): KnownUser[] {
  const created = users.filter(({ stored }) => !stored);
  const keyed = created.map((user) => ({ user, key: emailKey(user.changes!.email!) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  return [...keyed.map(({ user }) => user), ...users.filter(({ stored }) => stored)];
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
 */
function groupsOf(users: readonly KnownUser[]): KnownUser[][] {
  const groups: KnownUser[][] = [];
  let left = 0;
  for (const user of users) {
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
