import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { isReferenced, violates } from '../database/errors';
import { isId, newId } from '../database/id';
import { tableName } from '../database/tables';
import { conflict, notFound, taken } from '../http/fault';
import { judgeOrThrow } from '../http/input/judge';
import { IN_STATE } from '../tokens/tokens.service';
import { CreateOrganizationDto, ExternalIdDto, OrganizationNameDto } from './organizations.dto';
import { Organization, type OrganizationRecord, recordOf } from './organization.entity';

/** What goes with an organization, by a statement each. Its deleted users go by their foreign key. */
const OWNED = [
  ...['event_heads', 'token_events', 'events', 'event_cursors', 'idempotency_keys'],
  ...['replaced_texts', 'search_words'],
];

/** Its methods take no caller: a caller belongs to an organization, and these come before one. */
@Injectable()
export class OrganizationsService {
  /** @internal Nest constructs it. */
  constructor(
    @InjectRepository(Organization, DATABASE) private readonly organizations: Repository<Organization>,
  ) {}

  /** Oldest first. */
  async list(): Promise<OrganizationRecord[]> {
    return (await this.organizations.find({ order: { createdAt: 'ASC', id: 'ASC' } })).map(recordOf);
  }

  /** `externalId` is the id by which your own system knows the organization; throws a 409 if another one has it. */
  async create(name: string, { externalId }: { externalId?: string } = {}): Promise<OrganizationRecord> {
    const input = judgeOrThrow(CreateOrganizationDto, { name, externalId });
    const organization = { id: newId('org'), name: input.name, externalId: input.externalId ?? null };
    const { raw } = await this.organizations
      .createQueryBuilder()
      .insert()
      .values(organization)
      .updateEntity(false)
      .returning('created_at AS "createdAt"')
      .execute()
      .catch(rethrowTaken);
    return { ...organization, createdAt: raw[0].createdAt };
  }

  /** Throws a 404 if it does not exist. */
  async get(id: string): Promise<OrganizationRecord> {
    return foundOrThrow(isId('org', id) ? await this.organizations.findOneBy({ id }) : null);
  }

  /** The organization with this external id, or null. */
  async find(by: { externalId: string }): Promise<OrganizationRecord | null> {
    const { externalId } = judgeOrThrow(ExternalIdDto, by);
    const organization = await this.organizations.findOneBy({ externalId });
    return organization && recordOf(organization);
  }

  async rename(id: string, name: string): Promise<OrganizationRecord> {
    const changes = judgeOrThrow(OrganizationNameDto, { name });
    if (isId('org', id)) await this.organizations.update({ id }, { ...changes });
    return this.get(id);
  }

  /**
   * Deletes an organization with its deleted users, ended tokens and events. Throws a 409 while it has users or active tokens, or
   * while a table of your own references it.
   */
  async delete(id: string): Promise<void> {
    if (!isId('org', id)) throw noSuchOrganization();
    await this.organizations.manager.transaction(async (manager) => {
      const table = (name: string) => tableName(manager.dataSource, name);
      const run = (sql: string) => manager.query(sql, [id]);
      // Each statement sees what was committed while the one before it waited, so nothing stays behind: the second waits for
      // changes of users, the third for whoever numbers events, and the fourth for whoever moves events of tokens.
      await run(`DELETE FROM ${table('tokens')} WHERE organization_id = $1 AND NOT (${IN_STATE.active})`);
      const [, count]: [unknown, number] = await run(
        `DELETE FROM ${table('organizations')} WHERE id = $1`,
      ).catch(rethrowReference);
      if (count === 0) throw noSuchOrganization();
      // Also if there is no head yet, the one that is added meanwhile has to wait.
      await run(`INSERT INTO ${table('event_heads')} (organization_id) VALUES ($1) ON CONFLICT DO NOTHING`);
      for (const name of OWNED) await run(`DELETE FROM ${table(name)} WHERE organization_id = $1`);
    });
  }
}

function foundOrThrow(organization: Organization | null): OrganizationRecord {
  if (!organization) throw noSuchOrganization();
  return recordOf(organization);
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
