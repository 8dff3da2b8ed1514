import type { Metadata, Role, UserFields } from './user.fields';

/** A user. */
export class UserView implements UserFields {
  /** @example 'usr_01kacpb2w5r8y3h6j9m4n7p0qx' */
  id: string;

  /**
   * Full display name.
   * @example 'Ada Lovelace'
   */
  name: string;

  /**
   * Primary email address in its original letter case; unique within the organization.
   * @example 'ada@example.com'
   */
  email: string;

  /** For your application; the service does not interpret it. */
  role: Role;

  /**
   * Arbitrary key-value pairs for application use.
   * @example { "plan": "pro" }
   */
  metadata: Metadata;

  /** @example '2026-01-31T09:30:00.000Z' */
  createdAt: Date;

  /** @example '2026-01-31T09:30:00.000Z' */
  updatedAt: Date;
}

/** A page of users. */
export class UserPageView {
  data: UserView[];

  /** The `cursor` parameter for the next page; null on the last page. */
  nextCursor: string | null;
}
