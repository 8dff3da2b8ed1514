/** An organization, as every method of `OrganizationsService` returns it. */
export interface OrganizationRecord {
  id: string;
  /** A name for people, 1–200 characters; several organizations may have the same. */
  name: string;
  /** The id by which another system knows the organization, 1–200 characters; null if none was given. */
  externalId: string | null;
  createdAt: Date;
}

export const serializeOrganization = ({
  id,
  name,
  externalId,
  createdAt,
}: OrganizationRecord): OrganizationRecord => ({ id, name, externalId, createdAt });
