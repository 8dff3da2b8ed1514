import type { EntityManager } from 'typeorm';
import { recordEvents } from '../../../events/record-events';
import { insertSql } from '../../../platform/database/columns';
import { FOR_VALUES } from '../../../platform/database/connections/statement-names';
import { isReference } from '../../../platform/database/errors';
import { chunksOf, execute, partsOf, query, raw, sql } from '../../../platform/database/sql';
import type { Caller } from '../../../platform/http/caller';
import type { KeyField } from '../../batch/batch-rules';
import { User, USER_COLUMNS } from '../../user/user.entity';
import type { UserLifecycle } from '../../user/user-lifecycle';
import { userEventOfText } from '../../user/user.events';
import type { UserText } from '../../user/user.view';
import { DeletedUser } from '../deleted-user.entity';

/** A user to delete. */
export interface LeavingUser extends Pick<User, 'id' | 'version' | 'emailKey' | 'userNameKey'> {
  /** The user as a response shows it. It stays text, because nothing of a deletion looks into it. */
  json: string;
}

const KEY_COLUMNS: Record<KeyField, string> = { id: 'id', email: 'email_key', externalId: 'external_id' };

/**
 * The users with these keys, by key, locked until the transaction ends. The order of the locks, that of the ids,
 * prevents a deadlock of two batches.
 */
export async function lockLeaving(
  manager: EntityManager,
  organizationId: string,
  keys: readonly string[],
  keyField: KeyField,
): Promise<Map<string, LeavingUser>> {
  // Planned each time, and with a look-up for each key, for the reasons that findUsers() of a batch has.
  const ids = sql`
    SELECT users.id FROM unnest(${keys}::text[]) AS wanted (key), LATERAL (
      SELECT id FROM ${User} WHERE organization_id = ${organizationId} AND ${raw(KEY_COLUMNS[keyField])} = wanted.key
      OFFSET 0
    ) AS users`;
  const rows = await query<UserText & Pick<User, 'emailKey' | 'userNameKey'>>(
    manager,
    sql`${raw(FOR_VALUES)} ${USER_COLUMNS.selectText}, email_key AS "emailKey", user_name_key AS "userNameKey"
        FROM ${User} WHERE organization_id = ${organizationId} AND id = ANY (ARRAY(${ids})) ORDER BY id FOR UPDATE`,
  );
  const wanted = new Set(keys);
  const users = new Map<string, LeavingUser>();
  for (const row of rows) {
    const { id, version, emailKey, userNameKey } = row;
    const key = { id, email: emailKey, externalId: row.externalId }[keyField];
    // A user whose key has changed while the statement waited for the lock is another one.
    if (key !== null && wanted.has(key))
      users.set(key, { id, version, emailKey, userNameKey, json: USER_COLUMNS.toJson(row) });
  }
  return users;
}

/** A table of the host may delete many rows for each user, and no statement may time out. */
const USERS_PER_STATEMENT = 100;

/** Deletes locked users. Returns the ids of those that stay, because a table of the host refers to them. */
export async function deleteLocked(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const referenced: string[] = [];
  for (const some of chunksOf(ids, USERS_PER_STATEMENT))
    referenced.push(...(await deleteUnreferenced(manager, organizationId, some)));
  return new Set(referenced);
}

/** A reference undoes its statement: that is then repeated for each half of the users. */
async function deleteUnreferenced(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const statement = sql`DELETE FROM ${User} WHERE organization_id = ${organizationId} AND id = ANY (${ids})`;
  try {
    await manager.transaction((savepoint) => execute(savepoint, statement));
    return [];
  } catch (error) {
    if (!isReference(error)) throw error;
  }
  if (ids.length === 1) return ids;
  const half = Math.ceil(ids.length / 2);
  return [
    ...(await deleteUnreferenced(manager, organizationId, ids.slice(0, half))),
    ...(await deleteUnreferenced(manager, organizationId, ids.slice(half))),
  ];
}

/** The maximum characters of JSON in one statement; a single user may have more. */
export const MAX_JSON = 1024 * 1024;

/** Keeps users whose rows have been deleted until they are restored or purged, with an event for each in this order. */
export async function keepDeleted(
  manager: EntityManager,
  by: Caller,
  users: readonly LeavingUser[],
  lifecycle: UserLifecycle,
): Promise<void> {
  const { organizationId } = by;
  const parts = partsOf(users, ({ json }) => json.length, MAX_JSON);
  for (const part of parts) {
    const rows = part.map(({ id, version, emailKey, userNameKey, json }) => ({
      organizationId,
      id,
      version,
      emailKey,
      userNameKey,
      fields: sql`${json}`,
    }));
    await execute(manager, insertSql(DeletedUser, rows));
  }
  const ids = users.map(({ id }) => id);
  if (ids.length > 0) await lifecycle.deleted(manager, by, ids);
  for (const part of parts)
    await recordEvents(manager, ...part.map(({ id, json }) => userEventOfText(by, 'user.deleted', id, json)));
}
