import type { Source } from '../../platform/http/wire-format';
import type { EVENT_TARGETS, EventType } from './event.types';

/** Who made the change. */
export class EventActorView {
  /**
   * A token, or a program such as a command of `ums`.
   * @example 'token'
   */
  type: 'token' | 'system';

  /**
   * The id of the token; null if it was a program.
   * @example 'tok_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  id: string | null;

  /**
   * The name of the token, or of the program.
   * @example 'Nightly sync'
   */
  name: string;
}

/** What was changed. */
export class EventTargetView {
  /**
   * The kind of thing.
   * @example 'user'
   */
  type: keyof typeof EVENT_TARGETS;

  /**
   * Its id.
   * @example 'usr_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  id: string;
}

/** Something that happened to a user, a group, a token, a webhook or the organization. */
export class EventView {
  /**
   * Assigned by the service: `evt_` and 26 letters and digits.
   * @example 'evt_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  id: string;

  /**
   * The number of the event in its organization: 1, 2, 3 …, without gaps and in an order that never changes.
   * @example 4711
   */
  sequence: number;

  /**
   * What happened.
   * @example 'user.updated'
   */
  type: EventType;

  /**
   * When it happened.
   * @example '2026-01-31T09:30:00.000Z'
   */
  occurredAt: Date;

  /**
   * Where the change came from: the API, a directory (SCIM), a command, the application that embeds the service, the
   * service itself, or a sign-in to the dashboard.
   * @example 'api'
   */
  source: Source;

  /**
   * Who made the change.
   * @example { "type": "token", "id": "tok_01kacpb2w5r8y3h6j9m4n7p0qx", "name": "Nightly sync" }
   */
  actor: EventActorView;

  /**
   * What was changed.
   * @example { "type": "user", "id": "usr_01kacpb2w5r8y3h6j9m4n7p0qx" }
   */
  target: EventTargetView;

  /**
   * The `X-Request-ID` of the request that made the change; null if it was not a request.
   * @example '3a5101a9-3992-49b0-9ed3-81ebaca42682'
   */
  requestId: string | null;

  /**
   * The person for whom the change was made, as the `X-On-Behalf-Of` of the request named it; null if it named nobody.
   * The service has not checked it: it is the caller's word.
   * @example 'ada@example.com'
   */
  onBehalfOf: string | null;

  /**
   * The `user`, `group`, `token`, `webhook` or `organization` after the change, or before it if it was deleted. If the
   * type ends in `.updated`, `previous` has the former values of the changed fields. If a group's member was added or
   * removed, `group` has only its ID and name, and `user` the member's ID. Null if the user has been purged.
   * @example { "user": { "id": "usr_01kacpb2w5r8y3h6j9m4n7p0qx", "role": "admin" }, "previous": { "role": "member" } }
   */
  data: Record<string, unknown> | null;
}

/** A page of events. */
export class EventPageView {
  /** The events of this page. */
  data: EventView[];

  /**
   * The `cursor` for the next page. In ascending order it is never null: keep it, and use it later to get newer events.
   * @example 'b1k9Qm2xVd7RtY0sWyIyMDI2LTAxLTMxVDA5OjMwOjAwLjAwMFoiXQ'
   */
  nextCursor: string | null;
}
