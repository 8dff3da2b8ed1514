import type { EntityManager } from 'typeorm';
import { columnsOf } from '../../platform/database/columns';
import { FOR_VALUES } from '../../platform/database/connections/statement-names';
import { partsOf, query, raw, rowsOf, type Sql, sql } from '../../platform/database/sql';
import { recordEvents } from '../../events/record-events';
import type { Caller } from '../../platform/http/caller';
import { putSearchTexts } from '../search/user-search.rows';
import { User, USER_FIELDS, WRITABLE_FIELDS } from '../user/user.entity';
import { emailKey, withKeys } from '../user/user.keys';
import type { UserChange, UserLifecycle } from '../user/user-lifecycle';
import { userEvent, userUpdated } from '../user/user.events';
import { type BatchUser, type KeyField, parsedUser, type StoredUser, type ValidatedRow } from './batch-rules';

/**
 * The maximum characters of metadata in one statement; a single user may have more. Large metadata takes so long to
 * index that one statement for all of a batch would time out.
 */
export const MAX_METADATA = 64 * 1024;

const STORED = columnsOf(User, ['organizationId', ...USER_FIELDS, 'userNameKey']);

const WRITTEN = columnsOf(User, [
  'organizationId',
  'id',
  ...WRITABLE_FIELDS,
  'nameKey',
  'emailKey',
  'version',
]);

/**
 * The users who have a unique value of one of these rows, perhaps locked until the transaction ends. One statement
 * finds all of them, as they are at one moment: if another request commits later, writing a value that it has taken
 * fails, and the batch starts again. The order of the locks prevents a deadlock of two batches.
 */
export function findUsers(
  manager: EntityManager,
  organizationId: string,
  rows: readonly ValidatedRow[],
  keyField: KeyField,
  { isLocked }: { isLocked: boolean },
): Promise<StoredUser[]> {
  const keys = rows.flatMap(({ key }) => key ?? []);
  const emails = rows.flatMap(({ fields }) => (fields?.email === undefined ? [] : emailKey(fields.email)));
  const externalIds = rows.flatMap(({ fields }) => fields?.externalId ?? []);
  // Looks up each key in the index. For a join or = ANY, a planner without statistics would read all users. So does a
  // plan that an import makes while there are few users, and keeps until ANALYZE: planned each time, it wrote 5,350
  // users a second into an empty database, planned once 1,588 and ever fewer.
  const having = (wanted: string[], condition: Sql) => sql`
    SELECT users.id FROM unnest(${[...new Set(wanted)]}::text[]) AS wanted (key), LATERAL (
      SELECT id FROM ${User} WHERE organization_id = ${organizationId} AND ${condition} OFFSET 0
    ) AS users`;
  return query(
    manager,
    sql`${raw(FOR_VALUES)} ${STORED.selectJsonAsText} FROM ${User}
        WHERE organization_id = ${organizationId} AND id = ANY (ARRAY(
          ${having(keyField === 'email' ? keys : emails, sql`email_key = wanted.key`)}
          UNION ${having(emails, sql`coalesce(user_name_key, email_key) = wanted.key`)}
          UNION ${having(keyField === 'externalId' ? keys : externalIds, sql`external_id = wanted.key`)}
          ${keyField === 'id' ? sql`UNION ${having(keys, sql`id = wanted.key`)}` : sql``}
        )) ORDER BY id ${isLocked ? sql`FOR NO KEY UPDATE` : sql``}`,
  );
}

/**
 * Writes new users, and changed ones that are locked. Fails as a whole if another request has given one of their unique
 * values to another user meanwhile. New users come first, in the order of their emails, which prevents a deadlock of
 * two batches that create the same users.
 */
export async function writeUsers(
  manager: EntityManager,
  by: Caller,
  users: readonly BatchUser[],
  lifecycle: UserLifecycle,
): Promise<void> {
  const created = users.filter(({ stored }) => !stored);
  const keyed = created.map((user) => ({ user, key: emailKey(user.changes!.email!) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  const ordered = [...keyed.map(({ user }) => user), ...users.filter(({ stored }) => stored)];
  for (const group of partsOf(ordered, metadataLength, MAX_METADATA))
    await writeGroup(manager, by, group, lifecycle);
}

async function writeGroup(
  manager: EntityManager,
  by: Caller,
  group: readonly BatchUser[],
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
  const previous = changed.length > 0 ? await lifecycle.changed(manager, by, changed) : undefined;
  const events = users.map(({ before, after }, i) =>
    before
      ? userUpdated(by, before, after, group[i].changes!, previous?.get(after.id))
      : userEvent(by, 'user.created', after),
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

/** The characters of the metadata that is written. */
const metadataLength = ({ changes, stored }: BatchUser) =>
  changes!.metadata ? JSON.stringify(changes!.metadata).length : stored!.metadata.length;
