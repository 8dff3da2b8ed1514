import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('organizations')
export class Organization {
  @PrimaryColumn({ type: 'text' })
  id: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ name: 'external_id', type: 'text', nullable: true })
  externalId: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt: Date;
}

/** An organization, as every method of `OrganizationsService` returns it. */
export interface OrganizationRecord {
  id: string;
  /** A name for people, 1–200 characters; several organizations may have the same. */
  name: string;
  /** The id by which another system knows the organization, 1–200 characters; null if none was given. */
  externalId: string | null;
  createdAt: Date;
}

export const recordOf = ({ id, name, externalId, createdAt }: OrganizationRecord): OrganizationRecord => ({
  id,
  name,
  externalId,
  createdAt,
});
