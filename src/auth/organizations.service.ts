import { Injectable } from '@nestjs/common';
import type { EntityManager, EntityMetadata } from 'typeorm';
import { columnsOf } from '../database/columns';
import { Database } from '../database/database';
import { rethrowReference, rethrowViolation } from '../database/errors';
import { isId, newId } from '../database/id';
import { execute, query, sql } from '../database/sql';
import { EventHead } from '../events/log/event-head.entity';
import { conflict, noSuchOrganization, taken } from '../http/fault';
import { validatedInput } from '../http/input/validate';
import { IN_STATE, Token } from '../tokens/token.entity';
import { DeletedUser } from '../users/deleted/deleted-user.entity';
import { UserSearchText } from '../users/search/user-search.entity';
import { User } from '../users/user/user.entity';
import { Organization } from './organization.entity';
import { CreateOrganizationDto, ExternalIdDto, OrganizationNameDto } from './organizations.dto';

/** An organization, as every method returns it. */
export interface OrganizationRecord {
  id: string;
  /** A name for people, 1–200 characters; several organizations may have the same. */
  name: string;
  /** The id by which another system knows the organization, 1–200 characters; null if none was given. */
  externalId: string | null;
  createdAt: Date;
}

/** Rows of these tables refer to the organization, so they prevent its deletion or are deleted with it. */
const REFERRING: unknown[] = [Token, User, DeletedUser, UserSearchText];

const ROWS_PER_STATEMENT = 1_000;

const COLUMNS = columnsOf(Organization).select;

/** The methods take no caller, because a caller belongs to an organization. */
@Injectable()
export class OrganizationsService {
  /** @internal Nest constructs it. */
  constructor(private readonly database: Database) {}

  /** The same service in an open transaction of the application, with the promises of `UsersService.within()`. */
  within(manager: EntityManager): OrganizationsService {
    return new OrganizationsService(this.database.within(manager));
  }

  /** Oldest first. */
  list(): Promise<OrganizationRecord[]> {
    return this.database.readAll(sql`SELECT ${COLUMNS} FROM ${Organization} ORDER BY created_at, id`);
  }

  /** `externalId` is the id by which your own system knows the organization; throws a 409 if another one has it. */
  async create(name: string, { externalId }: { externalId?: string } = {}): Promise<OrganizationRecord> {
    const input = validatedInput(CreateOrganizationDto, { name, externalId });
    const id = newId('org');
    const insertion = sql`
      INSERT INTO ${Organization} (id, name, external_id) VALUES (${id}, ${input.name}, ${input.externalId ?? null})
      RETURNING ${COLUMNS}`;
    const [organization] = await this.database
      .write(id, (manager) => query<OrganizationRecord>(manager, insertion))
      .catch(rethrowViolation({ organizations_external_id_key: externalIdTaken }));
    return organization;
  }

  /** Throws a 404 if it does not exist. */
  async get(id: string): Promise<OrganizationRecord> {
    if (!isId('org', id)) throw noSuchOrganization();
    const selection = sql`SELECT ${COLUMNS} FROM ${Organization} WHERE id = ${id}`;
    const [organization] = await this.database.read(id, (manager) =>
      query<OrganizationRecord>(manager, selection),
    );
    if (!organization) throw noSuchOrganization();
    return organization;
  }

  /** The organization with this external id, or null. */
  async find(by: { externalId: string }): Promise<OrganizationRecord | null> {
    const { externalId } = validatedInput(ExternalIdDto, by);
    const [organization = null] = await this.database.readAll<OrganizationRecord>(
      sql`SELECT ${COLUMNS} FROM ${Organization} WHERE external_id = ${externalId}`,
    );
    return organization;
  }

  async rename(id: string, name: string): Promise<OrganizationRecord> {
    const changes = validatedInput(OrganizationNameDto, { name });
    if (isId('org', id))
      await this.database.write(id, (manager) => manager.update(Organization, { id }, { ...changes }));
    return this.get(id);
  }

  /**
   * Deletes an organization with its deleted users, ended tokens and events. Throws a 409 while it has users or active
   * tokens, or while a table of your own references it.
   */
  async delete(id: string): Promise<void> {
    if (!isId('org', id)) throw noSuchOrganization();
    await this.requireDeletable(id);
    // If the deletion ends early, readers and subscribers are told that these events are gone.
    await this.database.execute(
      id,
      sql`UPDATE ${EventHead} SET removed = sequence WHERE organization_id = ${id}`,
    );
    // Deleted in parts, because a long history takes longer than a statement may. An organization without users and
    // tokens does not need it any more.
    for (const { target, primaryColumns } of this.owned()) {
      if (primaryColumns.length === 1) continue;
      // By ctid, because many rows may share a part of the key.
      const batch = sql`
        DELETE FROM ${target} WHERE organization_id = ${id} AND ctid = ANY (ARRAY(
          SELECT ctid FROM ${target} WHERE organization_id = ${id} LIMIT ${ROWS_PER_STATEMENT}))`;
      while ((await this.database.execute(id, batch, 'heavy')) > 0);
    }
    await this.database
      .write(id, async (manager) => {
        await this.deleteWithTokens(manager, id);
        // Claims the head: a concurrent insert of the first head waits for this transaction, and then finds no events.
        await execute(
          manager,
          sql`INSERT INTO ${EventHead} (organization_id) VALUES (${id}) ON CONFLICT DO NOTHING`,
        );
        // Each statement sees what was committed while the previous one waited, so no row is left behind: numbering
        // locks the head, and moving the events of tokens locks those events.
        await manager.delete(EventHead, { organizationId: id });
        for (const { target } of this.owned()) await manager.delete(target, { organizationId: id });
      })
      .catch(rethrowReference(referred));
  }

  /** The entities whose rows are deleted with their organization. */
  private owned(): EntityMetadata[] {
    return this.database.tables.filter(
      (entity) => entity.findColumnWithPropertyName('organizationId') && !REFERRING.includes(entity.target),
    );
  }

  /** Tries the deletion and undoes it: nothing else tells whether a table of the host references the organization. */
  private requireDeletable(id: string): Promise<void> {
    return this.database
      .write(id, async (manager) => {
        // Waits for a deletion of this user that is under way.
        const user = sql`SELECT FROM ${User} WHERE organization_id = ${id} LIMIT 1 FOR KEY SHARE`;
        if ((await query(manager, user)).length > 0) throw referred();
        await execute(manager, sql`SAVEPOINT trial`);
        await this.deleteWithTokens(manager, id);
        await execute(manager, sql`ROLLBACK TO SAVEPOINT trial`);
      })
      .catch(rethrowReference(referred));
  }

  private async deleteWithTokens(manager: EntityManager, id: string): Promise<void> {
    await execute(
      manager,
      sql`DELETE FROM ${Token} WHERE organization_id = ${id} AND NOT (${IN_STATE.active})`,
    );
    for (const { target } of await this.following(manager)) await deleteInParts(manager, target, id);
    const { affected } = await manager.delete(Organization, { id }); // waits for writes of its users
    if (affected === 0) throw noSuchOrganization();
  }

  /** The entities whose rows PostgreSQL deletes with the organization, all of a table in one statement. */
  private async following(manager: EntityManager): Promise<EntityMetadata[]> {
    const { schema = null, tableName } = manager.dataSource.getMetadata(Organization);
    const rows = await query<{ name: string }>(
      manager,
      sql`SELECT relname AS name FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
          WHERE confrelid = format('%I.%I', coalesce(${schema}::text, current_schema()), ${tableName}::text)::regclass AND confdeltype = 'c'`,
    );
    return this.database.tables.filter((entity) => rows.some(({ name }) => name === entity.tableName));
  }
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

const externalIdTaken = () =>
  taken({ field: 'externalId', code: 'taken', message: 'is already used by another organization' });
