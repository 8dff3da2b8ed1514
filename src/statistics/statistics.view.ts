/** The organization of the token. */
export class OrganizationNameView {
  /**
   * Assigned by the service: `org_` and 26 letters and digits.
   * @example 'org_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  id: string;

  /**
   * The name of the organization.
   * @example 'Analytical Engines'
   */
  name: string;
}

/** The number of users, without deleted ones. */
export class UserCountsView {
  /**
   * The number of users; 100,000 if there are more.
   * @example 1842
   */
  total: number;

  /**
   * The number of active users; 100,000 if there are more.
   * @example 1795
   */
  active: number;

  /**
   * Whether both numbers are below 100,000, and so exact. If false, a number that is 100,000 means "at least 100,000".
   * @example true
   */
  exact: boolean;
}

/** The number of users that were created on a day and have not been deleted. */
export class CreatedOnDayView {
  /**
   * The day, in UTC.
   * @example '2026-01-31'
   */
  date: string;

  /**
   * The number of users; 10,000 if there are more.
   * @example 12
   */
  count: number;
}

/** The organization at a glance. */
export class StatisticsView {
  /**
   * The organization of the token.
   * @example { "id": "org_01kacpb2w5r8y3h6j9m4n7p0qx", "name": "Analytical Engines" }
   */
  organization: OrganizationNameView;

  /**
   * The number of users.
   * @example { "total": 1842, "active": 1795, "exact": true }
   */
  users: UserCountsView;

  /** The last 30 days, oldest first; the last one is today. */
  createdByDay: CreatedOnDayView[];

  /**
   * When the users were counted: up to a minute ago.
   * @example '2026-01-31T09:30:00.000Z'
   */
  countedAt: Date;
}
