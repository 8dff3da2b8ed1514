import type { EntityManager } from 'typeorm';
import { recordEvents } from '../../../events/record-events';
import { columnsOf } from '../../../platform/database/columns';
import { FOR_VALUES } from '../../../platform/database/connections/statement-names';
import { execute, partsOf, query, raw, sql } from '../../../platform/database/sql';
import type { Caller } from '../../../platform/http/caller';
import type { Owners } from '../../batch/batch-rules';
import { MAX_METADATA } from '../../batch/batch-writes';
import { User } from '../../user/user.entity';
import type { RestoredUser, UserLifecycle } from '../../user/user-lifecycle';
import { userEventOfText } from '../../user/user.events';
import { serializeUser } from '../../user/user.serializer';
import { DeletedUser, userOf } from '../deleted-user.entity';
import { insertRestored } from '../insert-restored';
import { MAX_JSON } from './deletion';

const STORED = columnsOf(DeletedUser).selectJsonAsText;

/** A deleted user. Its fields are text: parsed, those of 500 users could take 170 MB. */
export interface StoredDeletedUser extends Omit<DeletedUser, 'fields'>, Pick<User, 'email' | 'externalId'> {
  fields: string;
}

/** The deleted users with these ids, perhaps locked until the transaction ends, in an order that prevents deadlocks. */
export function findDeleted(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
  { isLocked }: { isLocked: boolean },
): Promise<StoredDeletedUser[]> {
  return query(
    manager,
    sql`${raw(FOR_VALUES)} ${STORED}, fields ->> 'email' AS email, fields ->> 'externalId' AS "externalId"
        FROM ${DeletedUser} WHERE organization_id = ${organizationId} AND id = ANY (${ids})
        ORDER BY id ${isLocked ? sql`FOR UPDATE` : sql``}`,
  );
}

/** The users who have a unique value of these deleted users by now. */
export async function findOwners(
  manager: EntityManager,
  organizationId: string,
  users: readonly StoredDeletedUser[],
): Promise<Owners> {
  // Planned each time, and with a look-up for each key, for the reasons that findUsers() of a batch has.
  const having = (prefix: string, keys: string[], column: string) => sql`
    SELECT ${raw(`'${prefix} '`)} || wanted.key AS value, users.id FROM unnest(${keys}::text[]) AS wanted (key), LATERAL (
      SELECT id FROM ${User} WHERE organization_id = ${organizationId} AND ${raw(column)} = wanted.key OFFSET 0
    ) AS users`;
  const emailKeys = users.map(({ emailKey }) => emailKey);
  const userNameKeys = users.map(({ emailKey, userNameKey }) => userNameKey ?? emailKey);
  const externalIds = users.flatMap(({ externalId }) => externalId ?? []);
  const owners = await query<{ value: string; id: string }>(
    manager,
    sql`${raw(FOR_VALUES)} value, id FROM (
          ${having('email', emailKeys, 'email_key')}
          UNION ALL ${having('userName', userNameKeys, 'coalesce(user_name_key, email_key)')}
          UNION ALL ${having('externalId', externalIds, 'external_id')}
        ) AS owners`,
  );
  return new Map(owners.map(({ value, id }) => [value, id]));
}

/**
 * Restores locked users, with an event for each in this order. Fails as a whole if another request has given one of
 * their unique values to another user meanwhile. The rows are inserted in the order of emails, as those of a batch.
 */
export async function restoreUsers(
  manager: EntityManager,
  by: Caller,
  users: readonly StoredDeletedUser[],
  lifecycle: UserLifecycle,
): Promise<void> {
  if (users.length === 0) return;
  const ids = users.map(({ id }) => id);
  await execute(
    manager,
    sql`DELETE FROM ${DeletedUser} WHERE organization_id = ${by.organizationId} AND id = ANY (${ids})`,
  );
  const restored = new Map<string, { user: RestoredUser; json: string }>();
  const ordered = [...users].sort((a, b) => (a.emailKey < b.emailKey ? -1 : 1));
  for (const part of partsOf(ordered, ({ fields }) => fields.length, MAX_METADATA)) {
    const former = part.map(({ fields, ...user }) =>
      userOf({ ...user, fields: JSON.parse(fields) as DeletedUser['fields'] }),
    );
    for (const user of await insertRestored(manager, former)) {
      const { metadata: _, ...rest } = user;
      restored.set(user.id, { user: rest, json: JSON.stringify(serializeUser(user)) });
    }
  }
  const inOrder = ids.map((id) => restored.get(id)!);
  await lifecycle.restored(
    manager,
    by,
    inOrder.map(({ user }) => user),
  );
  for (const part of partsOf(inOrder, ({ json }) => json.length, MAX_JSON)) {
    const events = part.map(({ user, json }) => userEventOfText(by, 'user.restored', user.id, json));
    await recordEvents(manager, ...events);
  }
}
