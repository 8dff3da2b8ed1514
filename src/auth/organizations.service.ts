import { Injectable } from '@nestjs/common';
import type { EntityManager, EntityMetadata } from 'typeorm';
import { Database } from '../database/database';
import { isReferenced, violates } from '../database/errors';
import { isId, newId } from '../database/id';
import { execute, raw, sql } from '../database/sql';
import { EventHead } from '../events/log/event-head.entity';
import { conflict, notFound, taken } from '../http/fault';
import { validateOrThrow } from '../http/input/validate';
import { IN_STATE, Token } from '../tokens/token.entity';
import { DeletedUser } from '../users/deleted/deleted-user.entity';
import { UserSearchText } from '../users/search/search-texts';
import { User } from '../users/user/user.entity';
import { Organization } from './organization.entity';
import { type OrganizationRecord, serializeOrganization } from './organization.serializer';
import { CreateOrganizationDto, ExternalIdDto, OrganizationNameDto } from './organizations.dto';

/** Their rows refer to the organization, so they prevent its deletion or go with it. */
const REFERRING: unknown[] = [Token, User, DeletedUser, UserSearchText];

const ROWS_PER_STATEMENT = 1_000;

const COLUMNS = raw(`id, name, external_id AS "externalId", created_at AS "createdAt"`);

/** Its methods take no caller: a caller belongs to an organization, and these come before one. */
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
    const input = validateOrThrow(CreateOrganizationDto, { name, externalId });
    const organization = Object.assign(new Organization(), {
      id: newId('org'),
      name: input.name,
      externalId: input.externalId ?? null,
    });
    await this.database
      .write(organization.id, (manager) => manager.insert(Organization, organization)) // sets `createdAt`
      .catch(rethrowTaken);
    return serializeOrganization(organization);
  }

  /** Throws a 404 if it does not exist. */
  async get(id: string): Promise<OrganizationRecord> {
    const organization = isId('org', id)
      ? await this.database.read(id, (manager) => manager.findOneBy(Organization, { id }))
      : null;
    if (!organization) throw noSuchOrganization();
    return serializeOrganization(organization);
  }

  /** The organization with this external id, or null. */
  async find(by: { externalId: string }): Promise<OrganizationRecord | null> {
    const { externalId } = validateOrThrow(ExternalIdDto, by);
    const [organization = null] = await this.database.readAll<OrganizationRecord>(
      sql`SELECT ${COLUMNS} FROM ${Organization} WHERE external_id = ${externalId}`,
    );
    return organization;
  }

  async rename(id: string, name: string): Promise<OrganizationRecord> {
    const changes = validateOrThrow(OrganizationNameDto, { name });
    if (isId('org', id))
      await this.database.write(id, (manager) => manager.update(Organization, { id }, { ...changes }));
    return this.get(id);
  }

  /**
   * Deletes an organization with its deleted users, ended tokens and events. Throws a 409 while it has users or active tokens, or
   * while a table of your own references it.
   */
  async delete(id: string): Promise<void> {
    if (!isId('org', id)) throw noSuchOrganization();
    await this.requireDeletable(id);
    // If the deletion ends early, readers and subscribers are told that these events are gone.
    await this.database.execute(
      id,
      sql`UPDATE ${EventHead} SET removed = sequence WHERE organization_id = ${id}`,
    );
    // A long history would take longer than a statement may. Its rows are of no use to an organization without users and tokens.
    for (const { target, primaryColumns } of this.owned()) {
      const column = primaryColumns.findLast(({ propertyName }) => propertyName !== 'organizationId');
      if (!column) continue;
      const key = raw(column.databaseName);
      const batch = sql`
        DELETE FROM ${target} WHERE organization_id = ${id} AND ${key} = ANY (ARRAY(
          SELECT ${key} FROM ${target} WHERE organization_id = ${id} LIMIT ${ROWS_PER_STATEMENT}))`;
      while ((await this.database.execute(id, batch, 'heavy')) > 0);
    }
    await this.database
      .write(id, async (manager) => {
        await deleteWithTokens(manager, id);
        // Claims the head: a concurrent insert of the first head waits for this transaction, and then finds no events.
        await execute(
          manager,
          sql`INSERT INTO ${EventHead} (organization_id) VALUES (${id}) ON CONFLICT DO NOTHING`,
        );
        // Each statement sees what was committed while the one before it waited, so no row is left behind: the head is locked by
        // whoever numbers events, and the events of tokens by whoever moves them.
        await manager.delete(EventHead, { organizationId: id });
        for (const { target } of this.owned()) await manager.delete(target, { organizationId: id });
      })
      .catch(rethrowReference);
  }

  /** The entities whose rows are deleted with their organization. */
  private owned(): EntityMetadata[] {
    return this.database.dataSource.entityMetadatas.filter(
      (entity) => entity.findColumnWithPropertyName('organizationId') && !REFERRING.includes(entity.target),
    );
  }

  /** Deletes the organization in a transaction that is undone: only that tells whether a table of the host references it. */
  private async requireDeletable(id: string): Promise<void> {
    const undo = new Error('undone');
    await this.database
      .write(id, async (manager) => {
        await deleteWithTokens(manager, id);
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) rethrowReference(error);
      });
  }
}

async function deleteWithTokens(manager: EntityManager, id: string): Promise<void> {
  await execute(
    manager,
    sql`DELETE FROM ${Token} WHERE organization_id = ${id} AND NOT (${IN_STATE.active})`,
  );
  const { affected } = await manager.delete(Organization, { id }); // waits for writes of its users
  if (affected === 0) throw noSuchOrganization();
}

const noSuchOrganization = () => notFound('There is no such organization.');

function rethrowTaken(error: unknown): never {
  if (!violates(error, 'organizations_external_id_key')) throw error;
  throw taken({ field: 'externalId', code: 'taken', message: 'is already used by another organization' });
}

function rethrowReference(error: unknown): never {
  throw isReferenced(error)
    ? conflict('The organization still has users, active tokens, or rows of another table.')
    : error;
}
