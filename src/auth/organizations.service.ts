import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../database/database';
import { isReferenced, violates } from '../database/errors';
import { isId, newId } from '../database/id';
import { execute, raw, sql } from '../database/sql';
import { Event } from '../events/event.entity';
import { EventHead } from '../events/log/event-head.entity';
import { EventCursor } from '../events/subscribers/event-cursor.entity';
import { TokenEvent } from '../events/token-event.entity';
import { conflict, notFound, taken } from '../http/fault';
import { validateOrThrow } from '../http/input/validate';
import { IdempotencyKey } from '../idempotency/idempotency-key.entity';
import { IN_STATE, Token } from '../tokens/token.entity';
import { RateLimitWindow } from '../rate-limit/rate-limit-window.entity';
import { ReplacedText } from '../users/search/vocabulary/replaced-text.entity';
import { Purge } from '../users/search/vocabulary/vocabulary-sweep';
import { SearchWord } from '../users/search/vocabulary/words';
import { Organization } from './organization.entity';
import { type OrganizationRecord, serializeOrganization } from './organization.serializer';
import { CreateOrganizationDto, ExternalIdDto, OrganizationNameDto } from './organizations.dto';

/** Tables whose rows are deleted with the organization, in this order. Its deleted users go by their foreign key. */
const OWNED = [
  EventHead,
  TokenEvent,
  Event,
  EventCursor,
  IdempotencyKey,
  ReplacedText,
  Purge,
  SearchWord,
  RateLimitWindow,
];

/** Those that may have millions of rows, each with a column by which they are deleted in batches. */
const LONG = [
  [Event, 'id'],
  [IdempotencyKey, 'key'],
  [ReplacedText, 'id'],
  [SearchWord, 'word'],
] as const;
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
    // A long history would take longer than a statement may. Its rows are of no use to an organization without users and tokens.
    for (const [entity, column] of LONG) {
      const batch = sql`
        DELETE FROM ${entity} WHERE organization_id = ${id} AND ${raw(column)} = ANY (ARRAY(
          SELECT ${raw(column)} FROM ${entity} WHERE organization_id = ${id} LIMIT ${ROWS_PER_STATEMENT}))`;
      while ((await this.database.execute(id, batch, 'heavy')) > 0);
    }
    await this.database
      .write(id, async (manager) => {
        await deleteWithTokens(manager, id);
        // Makes whoever adds the first head wait until the end, and then find nothing to number.
        await execute(
          manager,
          sql`INSERT INTO ${EventHead} (organization_id) VALUES (${id}) ON CONFLICT DO NOTHING`,
        );
        // Each statement sees what was committed while the one before it waited, so no row is left behind: the head is locked by
        // whoever numbers events, and the events of tokens by whoever moves them.
        for (const entity of OWNED) await manager.delete(entity, { organizationId: id });
      })
      .catch(rethrowReference);
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
