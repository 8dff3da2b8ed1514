import { PageView } from '../../platform/pages/page';
import type { Metadata, Role, User, USER_FIELDS } from './user.entity';

type Fields = Pick<User, (typeof USER_FIELDS)[number]>;

/** A user. */
export class UserView implements Fields {
  /**
   * Assigned by the service: `usr_` and 26 letters and digits.
   * @example 'usr_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  id: string;

  /**
   * Your own id of the user, such as a personnel number; unique within the organization. Null if it has none.
   * @example 'E-4711'
   */
  externalId: string | null;

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

  /**
   * For your application; the service does not interpret it.
   * @example 'member'
   */
  role: Role;

  /**
   * For your application; the service does not interpret it. A directory sets it to false for a user who has left.
   * @example true
   */
  active: boolean;

  /**
   * Arbitrary key-value pairs for your application.
   * @example { "plan": "pro" }
   */
  metadata: Metadata;

  /**
   * How often the user has been written: 1 for a new user, incremented by every change.
   * @example 1
   */
  version: number;

  /**
   * When the user was created.
   * @example '2026-01-31T09:30:00.000Z'
   */
  createdAt: Date;

  /**
   * When the user was last changed.
   * @example '2026-01-31T09:30:00.000Z'
   */
  updatedAt: Date;

  /**
   * The attributes that a directory has set through SCIM; null if none has. Only with `include=directory`.
   * @example { "userName": "ada@example.com", "title": "Analyst", "department": "Research" }
   */
  directory?: Record<string, unknown> | null;
}

/** A user as the services return it. The type of the metadata is the application's own; nothing checks the values. */
export interface UserRecord<Values extends object = Metadata> extends Omit<UserView, 'metadata'> {
  metadata: Values;
}

/** A user with JSON and times as the text of a response. */
export type UserText = {
  [Field in keyof Fields]: Fields[Field] extends object ? string : Fields[Field];
} & { directory?: string | null };

/** A page of users. */
export class UserPageView extends PageView {
  /** The users of this page. */
  data: UserView[];
}
