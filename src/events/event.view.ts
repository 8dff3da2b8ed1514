import type { Caller } from '../http/caller';
import type { EventType } from './event.types';

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
  type: 'user' | 'token';

  /**
   * Its id.
   * @example 'usr_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  id: string;
}

/** Something that happened to a user or a token. */
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
   * The way that the change came: the API, a command, the application that embeds the service, or the service itself.
   * @example 'api'
   */
  source: Caller['source'];

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
   * The `user` or `token` as it was after the change, or as it was last if it is deleted. An event `user.updated` also has the
   * former values of the changed fields, as `previous`. Null if the user has been purged.
   * @example { "user": { "id": "usr_01kacpb2w5r8y3h6j9m4n7p0qx", "role": "admin" }, "previous": { "role": "member" } }
   */
  data: Record<string, unknown> | null;
}

/** A page of events. */
export class EventPageView {
  /** The events of this page. */
  data: EventView[];

  /**
   * The `cursor` for the next page. In ascending order it is never null: keep it, and ask again later for what has happened since.
   * @example 'b1k9Qm2xVd7RtY0sWyIyMDI2LTAxLTMxVDA5OjMwOjAwLjAwMFoiXQ'
   */
  nextCursor: string | null;
}
