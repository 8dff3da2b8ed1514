import { type EventView } from '../events/event/event.view';
import { type GroupView } from '../groups/group/group.view';
import { type UserView } from '../users/user/user.view';

/** Everything that the service stores about a user. */
export class UserExportView {
  /**
   * When the export began.
   * @example '2026-01-31T09:30:00.000Z'
   */
  exportedAt: Date;

  /**
   * The user.
   * @example { "id": "usr_01kacpb2w5r8y3h6j9m4n7p0qx", "externalId": null, "name": "Ada Lovelace", "email": "ada@example.com", "role": "member", "active": true, "metadata": {}, "version": 1, "createdAt": "2026-01-31T09:30:00.000Z", "updatedAt": "2026-01-31T09:30:00.000Z" }
   */
  user: UserView;

  /**
   * The attributes that a directory has set through SCIM; null if none has.
   * @example { "userName": "ada@example.com", "title": "Analyst" }
   */
  directory: Record<string, unknown> | null;

  /** All groups that the user is in. */
  groups: GroupView[];

  /**
   * The events about the user that are still stored, oldest first: those whose target is the user, and those of groups
   * that the user was added to or removed from.
   */
  events: EventView[];
}
