import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OPERATOR_SHARE } from '../platform/fairness/owners';
import { Database } from '../platform/database/database';
import { rethrowViolation } from '../platform/database/errors';
import { isId, newId } from '../platform/database/id';
import { query, sql } from '../platform/database/sql';
import { recordEvents } from '../events/record-events';
import { type By, callerOf } from '../platform/http/caller';
import { conflict, noSuchOrganization, taken } from '../platform/http/fault';
import { validatedInput } from '../platform/http/input/validate';
import { BY_CREATION, type Page, paginate } from '../platform/pages/paginate';
import { beginDeletion, deletePart } from './organization-deletion';
import { lockOrganization, Organization, ORGANIZATION_COLUMNS } from './organization.entity';
import type { OrganizationView } from './organization.view';
import {
  CreateOrganizationDto,
  ExternalIdDto,
  ListOrganizationsDto,
  UpdateOrganizationDto,
} from './organizations.dto';

const VIOLATIONS = { organizations_external_id_key: () => externalIdTaken() };

/**
 * Its statements take the share of the operator: an organization that has used up its own cannot keep the operator from
 * suspending it.
 */
@Injectable()
export class OrganizationsService {
  /** @internal Nest constructs it. */
  constructor(private readonly database: Database) {}

  /** The same service in an open transaction of the application, with the promises of `UsersService.within()`. */
  within(manager: EntityManager): OrganizationsService {
    return new OrganizationsService(this.database.within(manager));
  }

  /** All organizations, oldest first. */
  list(): Promise<OrganizationView[]> {
    return this.database.readAll(
      sql`SELECT ${ORGANIZATION_COLUMNS} FROM ${Organization} ORDER BY created_at, id`,
    );
  }

  /** A page of them, newest first by default. */
  page(input: Partial<ListOrganizationsDto> = {}): Promise<Page<OrganizationView>> {
    const { externalId, order, limit, cursor } = validatedInput(ListOrganizationsDto, input);
    const page = {
      select: sql`SELECT ${ORGANIZATION_COLUMNS} FROM ${Organization}
        WHERE ${externalId === undefined ? sql`true` : sql`external_id = ${externalId}`}`,
      columns: BY_CREATION,
      order,
      limit,
      cursor,
      list: ['organizations', order, externalId],
    };
    return this.database.read(OPERATOR_SHARE, (manager) => paginate<OrganizationView>(manager, page));
  }

  /** `externalId` is the id by which your own system knows the organization; throws a 409 if another one has it. */
  async create(
    name: string,
    { externalId }: Pick<CreateOrganizationDto, 'externalId'> = {},
  ): Promise<OrganizationView> {
    const input = validatedInput(CreateOrganizationDto, { name, externalId });
    const id = newId('org');
    const insertion = sql`
      INSERT INTO ${Organization} (id, name, external_id) VALUES (${id}, ${input.name}, ${input.externalId ?? null})
      RETURNING ${ORGANIZATION_COLUMNS}`;
    const [organization] = await this.database
      .write(OPERATOR_SHARE, (manager) => query<OrganizationView>(manager, insertion))
      .catch(rethrowViolation(VIOLATIONS));
    return organization;
  }

  /** Throws a 404 if it does not exist. */
  async get(id: string): Promise<OrganizationView> {
    if (!isId('org', id)) throw noSuchOrganization();
    const selection = sql`SELECT ${ORGANIZATION_COLUMNS} FROM ${Organization} WHERE id = ${id}`;
    const [organization] = await this.database.read(OPERATOR_SHARE, (manager) =>
      query<OrganizationView>(manager, selection),
    );
    if (!organization) throw noSuchOrganization();
    return organization;
  }

  /** The organization with this external id, or null. */
  async find(by: { externalId: string }): Promise<OrganizationView | null> {
    const { externalId } = validatedInput(ExternalIdDto, by);
    const [organization = null] = await this.database.readAll<OrganizationView>(
      sql`SELECT ${ORGANIZATION_COLUMNS} FROM ${Organization} WHERE external_id = ${externalId}`,
    );
    return organization;
  }

  rename(by: By, name: string): Promise<OrganizationView> {
    return this.update(by, { name });
  }

  /**
   * Refuses every access with a token of the organization, from the next request on, and sends nothing to its webhooks.
   * Calls of the application, such as those of `UsersService`, go on.
   */
  suspend(by: By): Promise<OrganizationView> {
    return this.update(by, { suspended: true });
  }

  /** Ends a suspension. What waits for the webhooks is sent. Throws a 409 once the organization is being deleted. */
  resume(by: By): Promise<OrganizationView> {
    return this.update(by, { suspended: false });
  }

  /** Changes the given fields of the caller's organization. */
  async update(by: By, input: UpdateOrganizationDto): Promise<OrganizationView> {
    const caller = callerOf(by);
    const { organizationId: id } = caller;
    const changes = validatedInput(UpdateOrganizationDto, input);
    if (!isId('org', id)) throw noSuchOrganization();
    return this.database
      .write(OPERATOR_SHARE, async (manager) => {
        const { isDeleting, ...before } = await lockOrganization(manager, id);
        const { name, externalId, suspended } = { ...before, ...changes };
        if (isDeleting && !suspended) throw beingDeleted();
        const isToggled = suspended !== before.suspended;
        if (!isToggled && name === before.name && externalId === before.externalId) return before;
        const [organization] = await query<OrganizationView>(
          manager,
          sql`UPDATE ${Organization} SET name = ${name}, external_id = ${externalId}, suspended = ${suspended},
                updated_at = greatest(updated_at, now()) ${isToggled && !suspended ? sql`, resumed_at = now()` : sql``}
              WHERE id = ${id} RETURNING ${ORGANIZATION_COLUMNS}`,
        );
        if (isToggled) {
          const type = suspended ? ('organization.suspended' as const) : ('organization.resumed' as const);
          await recordEvents(manager, { by: caller, type, targetId: id, data: { organization } });
        }
        return organization;
      })
      .catch(rethrowViolation(VIOLATIONS));
  }

  /**
   * Deletes a suspended organization with everything in it, its tokens first. Throws a 409 if it is not suspended, or
   * while a table of your own refers to what would be deleted. Takes minutes for a million users; if the process ends,
   * a background job finishes the deletion.
   */
  async delete(id: string): Promise<void> {
    if (!isId('org', id)) throw noSuchOrganization();
    await beginDeletion(this.database, id);
    let hasMore = true;
    while (hasMore) hasMore = await deletePart(this.database, id);
  }
}

const beingDeleted = () =>
  conflict('The organization is being deleted, so it cannot be resumed. Delete it again to finish.');

const externalIdTaken = () =>
  taken({ field: 'externalId', code: 'taken', message: 'is already used by another organization' });
