import { PageView } from '../platform/pages/page';

/** An organization, whose users and tokens are its own. */
export class OrganizationView {
  /**
   * Assigned by the service: `org_` and 26 letters and digits.
   * @example 'org_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  id: string;

  /**
   * A name for people; several organizations may have the same.
   * @example 'Example Inc.'
   */
  name: string;

  /**
   * The id by which another system knows the organization; null if it has none.
   * @example 'customer-4711'
   */
  externalId: string | null;

  /**
   * Whether every access with a token of the organization is refused, and nothing is sent to its webhooks.
   * @example false
   */
  suspended: boolean;

  /**
   * When the organization was created.
   * @example '2026-01-31T09:30:00.000Z'
   */
  createdAt: Date;

  /**
   * When it was last renamed, suspended, resumed, or given another external id.
   * @example '2026-01-31T09:30:00.000Z'
   */
  updatedAt: Date;
}

/** A page of organizations. */
export class OrganizationPageView extends PageView {
  /** The organizations of this page. */
  data: OrganizationView[];
}
