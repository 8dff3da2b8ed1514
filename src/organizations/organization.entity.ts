import { Column, Entity, type EntityManager, PrimaryColumn } from 'typeorm';
import { OnCluster } from '../platform/database/citus/placements';
import { columnsOf } from '../platform/database/columns';
import { query, sql } from '../platform/database/sql';
import { noSuchOrganization } from '../platform/http/fault';
import type { OrganizationView } from './organization.view';

@Entity('organizations')
@OnCluster('reference')
export class Organization {
  @PrimaryColumn({ type: 'text' })
  id: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ name: 'external_id', type: 'text', nullable: true })
  externalId: string | null;

  /** Whether every access with a token is refused. */
  @Column({ type: 'boolean', default: false })
  suspended: boolean;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;

  /** When it was last resumed; null if it never was. */
  @Column({ name: 'resumed_at', type: 'timestamptz', precision: 3, nullable: true, select: false })
  resumedAt: Date | null;

  /** Whether its rows are being deleted, so that it can no longer be resumed. */
  @Column({ name: 'is_deleting', type: 'boolean', default: false, select: false })
  isDeleting: boolean;
}

/** The columns that callers see in a SELECT or RETURNING, under the names of the entity. */
export const ORGANIZATION_COLUMNS = columnsOf(Organization).select;

/** The organization, locked until the transaction ends. Throws a 404 if it does not exist. */
export async function lockOrganization(
  manager: EntityManager,
  id: string,
): Promise<OrganizationView & Pick<Organization, 'isDeleting'>> {
  const [organization] = await query<OrganizationView & Pick<Organization, 'isDeleting'>>(
    manager,
    sql`SELECT ${ORGANIZATION_COLUMNS}, is_deleting AS "isDeleting" FROM ${Organization}
        WHERE id = ${id} FOR NO KEY UPDATE`,
  );
  if (!organization) throw noSuchOrganization();
  return organization;
}
