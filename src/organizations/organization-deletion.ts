import type { EntityManager, EntityMetadata } from 'typeorm';
import { OPERATOR } from '../database/connections/operator';
import type { Database } from '../database/database';
import { isReference, rethrowReference } from '../database/errors';
import { execute, query, raw, type Sql, sql } from '../database/sql';
import { TokenEvent } from '../events/event/event.entity';
import { EventHead } from '../events/log/event-head.entity';
import { conflict, noSuchOrganization } from '../http/fault';
import { opaque } from '../pages/paginate';
import { IN_STATE, Token } from '../tokens/token.entity';
import { DeletedUser } from '../users/deleted/deleted-user.entity';
import { UserSearchText } from '../users/search/user-search.entity';
import { User } from '../users/user/user.entity';
import { requireUnreferenced } from './host-references';
import { lockOrganization, Organization } from './organization.entity';

/** Rows of these tables refer to the organization, so they prevent its deletion or are deleted with it. */
const REFERRING: unknown[] = [Token, User, DeletedUser, UserSearchText];

const ROWS_PER_STATEMENT = 1_000;

/** How long a part takes. */
const PART_MS = 250;

/** Whether an organization is deleted with everything in it, or only if it has no users and active tokens. */
type Everything = boolean;

/** Throws a 404, or a 409 if the organization cannot be deleted. Returns whether everything in it is deleted, too. */
export async function beginDeletion(
  database: Database,
  id: string,
  { mustBeSuspended }: { mustBeSuspended: boolean },
): Promise<Everything> {
  const isSuspended = await database.write(OPERATOR, async (manager) => {
    const { suspended, isDeleting } = await lockOrganization(manager, id);
    if (!suspended) {
      if (mustBeSuspended) throw conflict('Only a suspended organization can be deleted. Suspend it first.');
      return false;
    }
    await requireUnreferenced(manager, database.tables, id);
    if (!isDeleting)
      await execute(manager, sql`UPDATE ${Organization} SET is_deleting = true WHERE id = ${id}`);
    return true;
  });
  if (!isSuspended) await requireDeletable(database, id);
  return isSuspended;
}

/**
 * Deletes some rows, because a long history takes longer than a statement may, and in the end the organization. Several
 * processes may do so at the same time. Returns whether there is more to delete.
 */
export const deletePart = (database: Database, id: string, everything: Everything): Promise<boolean> =>
  deleteSome(database, id, everything).catch(rethrowReference(referred));

async function deleteSome(database: Database, id: string, everything: Everything): Promise<boolean> {
  const end = performance.now() + PART_MS;
  // If the deletion ends early, readers and subscribers are told that these events are gone.
  const marking = sql`UPDATE ${EventHead} SET removed = sequence WHERE organization_id = ${id} AND removed < sequence`;
  await database.execute(id, marking);
  for (const table of everything ? longTables(database) : ownedTables(database).filter(isLong)) {
    while ((await database.execute(id, batchOf(table, id), 'heavy')) === ROWS_PER_STATEMENT)
      if (performance.now() > end) return true;
  }
  try {
    await database.write(id, (manager) => deleteRest(manager, database, id, everything));
    return false;
  } catch (error) {
    if (!everything || !isReference(error)) throw error;
    // A table of the host is a 409, unless it no longer refers to the organization.
    await database.write(OPERATOR, (manager) => requireUnreferenced(manager, database.tables, id));
    return true;
  }
}

/** The tables that can have many rows of an organization, in the order in which all is deleted. */
export function longTables(database: Database): EntityMetadata[] {
  const [tokens, ...ofUsers] = [Token, User, DeletedUser].map((entity) => metadataOf(database, entity));
  return [tokens, ...ownedTables(database).filter(isLong), ...ofUsers];
}

/** Deletes rows by ctid, because many may share a part of the key. */
export const batchOf = (table: EntityMetadata, id: string): Sql => sql`
  DELETE FROM ${table.target} WHERE organization_id = ${id} AND ctid = ANY (ARRAY(
    SELECT ctid FROM ${table.target} WHERE organization_id = ${id}
    -- In the order of an index, or the planner might read the whole table, or all that is left of the organization.
    ORDER BY ${indexOrder(table)} LIMIT ${opaque(ROWS_PER_STATEMENT)} FOR UPDATE SKIP LOCKED))`;

const metadataOf = ({ tables }: Database, entity: Function): EntityMetadata =>
  tables.find(({ target }) => target === entity)!;

/** Tables whose rows are deleted with their organization, but refer to nothing. */
const ownedTables = ({ tables }: Database): EntityMetadata[] =>
  tables.filter(
    (entity) => entity.findColumnWithPropertyName('organizationId') && !REFERRING.includes(entity.target),
  );

/** The columns of an index that begins with the organization. */
const indexOrder = ({ target, primaryColumns }: EntityMetadata) =>
  raw(
    target === Token
      ? 'organization_id, created_at, id'
      : primaryColumns.map(({ databaseName }) => databaseName).join(', '),
  );

/** Whether it can have many rows of an organization. */
const isLong = ({ primaryColumns }: EntityMetadata): boolean => primaryColumns.length > 1;

/** Deletes what is left, and the organization. */
async function deleteRest(
  manager: EntityManager,
  database: Database,
  id: string,
  everything: Everything,
): Promise<void> {
  // Claims the head: a concurrent insert of the first head waits for this transaction, and then finds no events.
  await execute(
    manager,
    sql`INSERT INTO ${EventHead} (organization_id) VALUES (${id}) ON CONFLICT DO NOTHING`,
  );
  if (everything) await holdWriters(manager, id);
  await deleteWithTokens(manager, database, id, everything);
  // These two before the events: each statement sees what was committed while the previous one waited, so no event is
  // left behind. Numbering locks the head, and moving the events of tokens locks them in the table that they leave.
  for (const target of [EventHead, TokenEvent]) await manager.delete(target, { organizationId: id });
  for (const { target } of ownedTables(database)) await manager.delete(target, { organizationId: id });
}

/**
 * Makes everybody who creates a user or a token wait for the end of this transaction, and then find no organization.
 * On a cluster, the head brings the lock to the node of the users, who refer to the copy of the organization there.
 */
async function holdWriters(manager: EntityManager, id: string): Promise<void> {
  await execute(
    manager,
    sql`SELECT FROM ${EventHead} AS head JOIN ${Organization} AS organization ON organization.id = head.organization_id
        WHERE head.organization_id = ${id} FOR UPDATE OF organization`,
  );
}

/** Tries the deletion and undoes it: nothing else tells whether a table of the host references the organization. */
function requireDeletable(database: Database, id: string): Promise<void> {
  return database
    .write(id, async (manager) => {
      // Waits for a deletion of this user that is under way.
      const user = sql`SELECT FROM ${User} WHERE organization_id = ${id} LIMIT 1 FOR KEY SHARE`;
      if ((await query(manager, user)).length > 0) throw referred();
      await execute(manager, sql`SAVEPOINT trial`);
      await deleteWithTokens(manager, database, id, false);
      await execute(manager, sql`ROLLBACK TO SAVEPOINT trial`);
    })
    .catch(rethrowReference(referred));
}

async function deleteWithTokens(
  manager: EntityManager,
  database: Database,
  id: string,
  everything: Everything,
): Promise<void> {
  const ended = everything ? sql`` : sql`AND NOT (${IN_STATE.active})`;
  await execute(manager, sql`DELETE FROM ${Token} WHERE organization_id = ${id} ${ended}`);
  if (everything) await manager.delete(User, { organizationId: id });
  for (const { target } of await following(manager, database)) await deleteInParts(manager, target, id);
  const { affected } = await manager.delete(Organization, { id }); // waits for writes of its users
  // Of several that delete everything in it, another one may have been faster.
  if (affected === 0 && !everything) throw noSuchOrganization();
}

/** The entities whose rows PostgreSQL deletes with the organization, all of a table in one statement. */
async function following(manager: EntityManager, { tables }: Database): Promise<EntityMetadata[]> {
  const { schema = null, tableName } = manager.dataSource.getMetadata(Organization);
  const rows = await query<{ name: string }>(
    manager,
    sql`SELECT relname AS name FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
        WHERE confrelid = format('%I.%I', coalesce(${schema}::text, current_schema()), ${tableName}::text)::regclass AND confdeltype = 'c'`,
  );
  return tables.filter((entity) => rows.some(({ name }) => name === entity.tableName));
}

/** Each part starts behind the last one, because the transaction still steps over the rows that it has deleted. */
async function deleteInParts(
  manager: EntityManager,
  target: EntityMetadata['target'],
  organizationId: string,
): Promise<void> {
  let ids: string[] = [''];
  while (ids.length > 0) {
    const rows = await query<{ id: string }>(
      manager,
      sql`SELECT id FROM ${target} WHERE organization_id = ${organizationId} AND id > ${ids.at(-1)}
          ORDER BY id LIMIT ${ROWS_PER_STATEMENT}`,
    );
    ids = rows.map(({ id }) => id);
    await execute(
      manager,
      sql`DELETE FROM ${target} WHERE organization_id = ${organizationId} AND id = ANY (${ids})`,
    );
  }
}

const referred = () => conflict('The organization still has users, active tokens, or rows of another table.');
