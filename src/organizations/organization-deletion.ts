import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager, EntityMetadata } from 'typeorm';
import { Background } from '../platform/background/background';
import { OPERATOR_SHARE } from '../platform/fairness/owners';
import { Database } from '../platform/database/database';
import { rethrowReference } from '../platform/database/errors';
import { execute, raw, type Sql, sql } from '../platform/database/sql';
import { EventHead } from '../events/log/event-head.entity';
import { conflict } from '../platform/http/fault';
import { opaque } from '../platform/pages/paginate';
import { requireUnreferenced } from './host-references';
import { lockOrganization, Organization } from './organization.entity';

const ROWS_PER_STATEMENT = 1_000;

/** How long a part takes. */
const PART_MS = 250;

const FINISH_EVERY_MS = 60_000;

/** Finishes deletions whose process has ended, or whose database has failed. */
@Injectable()
export class OrganizationDeletions implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly background: Background,
  ) {}

  onModuleInit(): void {
    const task = {
      name: 'finish the deletion',
      organizations: (after: string, limit: number) => sql`
        SELECT id FROM ${Organization} WHERE is_deleting AND id > ${after} ORDER BY id LIMIT ${limit}`,
      part: (organizationId: string) => deletePart(this.database, organizationId),
    };
    this.background.add({
      name: 'finish deletions of organizations',
      everyMs: FINISH_EVERY_MS,
      run: (signal) => this.background.forEachOrganization(task, signal),
    });
  }
}

/**
 * From now on, the organization can neither be resumed nor get a token. Throws a 404, or a 409 if it is not suspended,
 * or if a table of the host refers to it.
 */
export const beginDeletion = (database: Database, id: string): Promise<void> =>
  database.write(OPERATOR_SHARE, async (manager) => {
    const { suspended } = await lockOrganization(manager, id);
    if (!suspended) throw conflict('Only a suspended organization can be deleted. Suspend it first.');
    await requireUnreferenced(manager, database.tables, id);
    await execute(manager, sql`UPDATE ${Organization} SET is_deleting = true WHERE id = ${id}`);
  });

/**
 * Deletes some rows, because a long history takes longer than a statement may, and in the end the organization. Several
 * processes may do so at the same time. Returns whether there is more to delete.
 */
export const deletePart = (database: Database, id: string): Promise<boolean> =>
  deleteSome(database, id).catch(rethrowReference(referred));

async function deleteSome(database: Database, id: string): Promise<boolean> {
  const end = performance.now() + PART_MS;
  // If the deletion ends early, readers and subscribers are told that these events are gone.
  const marking = sql`UPDATE ${EventHead} SET removed = sequence WHERE organization_id = ${id} AND removed < sequence`;
  await database.execute(id, marking);
  for (const table of ownedTables(database).filter(isLong))
    while ((await database.execute(id, batchOf(table, id), 'heavy')) === ROWS_PER_STATEMENT)
      if (performance.now() > end) return true;
  await database.write(id, (manager) => deleteRest(manager, ownedTables(database), id));
  return false;
}

/**
 * The tables with rows of an organization, in the order of the features. A table without an index that begins with the
 * organization has none of its own: PostgreSQL deletes its rows with those that they refer to.
 */
export const ownedTables = ({ tables }: Database): EntityMetadata[] => tables.filter(indexOf);

/** The columns of an index that begins with the organization: the primary key, or one that the entity declares. */
const indexOf = ({ primaryColumns, indices }: EntityMetadata) =>
  [primaryColumns, ...indices.map(({ columns }) => columns)].find(
    ([first]) => first.propertyName === 'organizationId',
  );

/** Whether it can have many rows of an organization. */
export const isLong = (table: EntityMetadata): boolean => indexOf(table)!.length > 1;

/** Deletes rows by ctid, because many may share a part of the key. */
export function batchOf(table: EntityMetadata, id: string): Sql {
  const columns = indexOf(table)!.map(({ databaseName }) => databaseName);
  return sql`
    DELETE FROM ${table.target} WHERE organization_id = ${id} AND ctid = ANY (ARRAY(
      SELECT ctid FROM ${table.target} WHERE organization_id = ${id}
      -- In the order of an index, or the planner might read the whole table, or all that is left of the organization.
      ORDER BY ${raw(columns.join(', '))} LIMIT ${opaque(ROWS_PER_STATEMENT)} FOR UPDATE SKIP LOCKED))`;
}

/** Deletes what is left, and the organization. */
async function deleteRest(manager: EntityManager, tables: EntityMetadata[], id: string): Promise<void> {
  await holdWriters(manager, id);
  // Events come last: each statement sees what was committed while the previous ones waited for writers, so no event is
  // left behind.
  for (const { target } of tables) await manager.delete(target, { organizationId: id });
  await manager.delete(Organization, { id });
}

/**
 * Makes everybody who creates a user, a token or the first event wait for the end of this transaction, and then find no
 * organization. On a cluster, the head brings the lock to the node of the users, who refer to the copy of the
 * organization there.
 */
async function holdWriters(manager: EntityManager, id: string): Promise<void> {
  const head = sql`INSERT INTO ${EventHead} (organization_id) VALUES (${id}) ON CONFLICT DO NOTHING`;
  await execute(manager, head);
  await execute(
    manager,
    sql`SELECT FROM ${EventHead} AS head JOIN ${Organization} AS organization ON organization.id = head.organization_id
        WHERE head.organization_id = ${id} FOR UPDATE OF organization`,
  );
}

const referred = () => conflict('Rows of another table refer to the organization, or to a part of it.');
