// Written by `npm run openapi` from openapi.json.

export interface Health {
  /** The only status of a 200; anything else is a 503. */
  status: 'ok';
}

export interface Token {
  /** Assigned by the service: `tok_` and 26 letters and digits. */
  id: string;
  /** A label for people. */
  name: string;
  /** The first 8 and last 4 characters of the value. */
  hint: string;
  /** What the token may do. `admin` grants full access; no other scope implies another. */
  scopes: ('users:read' | 'users:write' | 'users:delete' | 'admin')[];
  /** A revoked token stays `revoked` after it expires. */
  state: 'active' | 'expired' | 'revoked';
  /** The duration given at creation; null if the token never expires. */
  expiresIn: string | null;
  /** When the token stops working; null if it never expires. */
  expiresAt: string | null;
  /** When the token was created. */
  createdAt: string;
  /** When the token was last used, which may lag by a minute; null if it has not been used. */
  lastUsedAt: string | null;
  /** When the token was revoked; null if it has not been. */
  revokedAt: string | null;
  /** The id of the token that this one replaces; null if it replaces none. */
  rotatedFrom: string | null;
}

export interface Batch {
  /** The users, each as in a POST. In the mode `upsert` only the email is required of those that exist. */
  users: BatchUser[];
  /** What happens to an email that a user has: `create` refuses it, `upsert` changes that user as a PATCH does. */
  mode?: 'create' | 'upsert';
  /** Whether one failure keeps all others from being written: the response is then a 400, or a 409 if only emails are taken. */
  atomic?: boolean;
  /** Whether to only tell what would happen. */
  dryRun?: boolean;
}

export interface BatchResult {
  /** The position of the element. */
  index: number;
  /** The status that a request of its own would have got: 201 created, 200 updated or unchanged, 400 invalid, 409 email taken. */
  status: 200 | 201 | 400 | 409;
  /** The id of the user; null on failure, and if a dry run would create the user. */
  id: string | null;
  /** The version of the user; null where `id` is. */
  version: number | null;
  /** On failure: what failed, for programs. */
  code?: 'validation_failed' | 'conflict';
  /** On failure: every fault of the element, or the first one if all elements together have more than 1,000. */
  errors?: Fault[];
}

export interface BatchCounts {
  /** New users. */
  created: number;
  /** Users that were changed. */
  updated: number;
  /** Users that had every value already. */
  unchanged: number;
  /** Elements that were refused. */
  failed: number;
}

export interface BatchAnswer {
  /** One for each element, in the order of the request. */
  results: BatchResult[];
  /** How many came out how. */
  counts: BatchCounts;
}

export interface CreateUser {
  /** Full display name; surrounding white space is removed. */
  name: string;
  /** Primary email address, unique within the organization; surrounding white space is removed. */
  email: string;
  /** For your application; the service does not interpret it. A new user is a `member` by default. */
  role?: 'member' | 'admin' | 'viewer';
  /** Arbitrary key-value pairs for your application: at most 1,000 JSON values of any type, at most 16 KB as compact JSON, and at most 8 levels of objects and arrays. */
  metadata?: Record<string, unknown>;
}

export interface User {
  /** Assigned by the service: `usr_` and 26 letters and digits. */
  id: string;
  /** Full display name. */
  name: string;
  /** Primary email address in its original letter case; unique within the organization. */
  email: string;
  /** For your application; the service does not interpret it. */
  role: 'member' | 'admin' | 'viewer';
  /** Arbitrary key-value pairs for your application. */
  metadata: Record<string, unknown>;
  /** How often the user was written: 1, 2, 3 …, one more with every change. */
  version: number;
  /** When the user was created. */
  createdAt: string;
  /** When the user was last changed. */
  updatedAt: string;
}

export interface UpdateUser {
  /** Full display name; surrounding white space is removed. */
  name?: string;
  /** Primary email address, unique within the organization; surrounding white space is removed. */
  email?: string;
  /** For your application; the service does not interpret it. A new user is a `member` by default. */
  role?: 'member' | 'admin' | 'viewer';
  /** Arbitrary key-value pairs for your application: at most 1,000 JSON values of any type, at most 16 KB as compact JSON, and at most 8 levels of objects and arrays. */
  metadata?: Record<string, unknown>;
}

export interface DeletedUser {
  /** Assigned by the service: `usr_` and 26 letters and digits. */
  id: string;
  /** Full display name. */
  name: string;
  /** Primary email address in its original letter case; unique within the organization. */
  email: string;
  /** For your application; the service does not interpret it. */
  role: 'member' | 'admin' | 'viewer';
  /** Arbitrary key-value pairs for your application. */
  metadata: Record<string, unknown>;
  /** How often the user was written: 1, 2, 3 …, one more with every change. */
  version: number;
  /** When the user was created. */
  createdAt: string;
  /** When the user was last changed. */
  updatedAt: string;
  /** When the user was deleted. */
  deletedAt: string;
  /** When the user is purged, unless it is restored. That happens within an hour. */
  purgeAt: string;
}

export interface RestoreUser {
  /** Another email address for the user, if the former one is taken by now. */
  email?: string;
}

export interface TokenPage {
  /** The tokens of this page. */
  data: Token[];
  /** The `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
}

export interface CreateToken {
  /** A label for people; surrounding white space is removed. */
  name: string;
  /** What the token may do, each scope once. `admin` grants full access; no other scope implies another. */
  scopes: ('users:read' | 'users:write' | 'users:delete' | 'admin')[];
  /** How long the token is valid, in days: from `1d` to `3650d`. By default it never expires. */
  expiresIn?: string;
}

export interface NewToken {
  /** Assigned by the service: `tok_` and 26 letters and digits. */
  id: string;
  /** A label for people. */
  name: string;
  /** The first 8 and last 4 characters of the value. */
  hint: string;
  /** What the token may do. `admin` grants full access; no other scope implies another. */
  scopes: ('users:read' | 'users:write' | 'users:delete' | 'admin')[];
  /** A revoked token stays `revoked` after it expires. */
  state: 'active' | 'expired' | 'revoked';
  /** The duration given at creation; null if the token never expires. */
  expiresIn: string | null;
  /** When the token stops working; null if it never expires. */
  expiresAt: string | null;
  /** When the token was created. */
  createdAt: string;
  /** When the token was last used, which may lag by a minute; null if it has not been used. */
  lastUsedAt: string | null;
  /** When the token was revoked; null if it has not been. */
  revokedAt: string | null;
  /** The id of the token that this one replaces; null if it replaces none. */
  rotatedFrom: string | null;
  /** The value, which is shown only here. */
  token: string;
}

export interface RotateToken {
  /** How long the old token still works, in hours: from `0h`, which revokes it at once, to `168h`. It never works longer than it would have. */
  overlap?: string;
  /** How long the new token is valid, in days: from `1d` to `3650d`. By default as long as the old one was when it was new. */
  expiresIn?: string;
}

export interface ReportLeaks {
  /** The values that were found, whether or not they are tokens of this service. */
  tokens: string[];
}

export interface EventActor {
  /** A token, or a program such as a command of `ums`. */
  type: 'token' | 'system';
  /** The id of the token; null if it was a program. */
  id: string | null;
  /** The name of the token, or of the program. */
  name: string;
}

export interface EventTarget {
  /** The kind of thing. */
  type: 'token' | 'user';
  /** Its id. */
  id: string;
}

export interface Event {
  /** Assigned by the service: `evt_` and 26 letters and digits. */
  id: string;
  /** The number of the event in its organization: 1, 2, 3 …, without gaps and in an order that never changes. */
  sequence: number;
  /** What happened. */
  type:
    | 'user.created'
    | 'user.updated'
    | 'user.deleted'
    | 'user.restored'
    | 'user.purged'
    | 'token.created'
    | 'token.rotated'
    | 'token.revoked'
    | 'token.leaked'
    | 'token.expiring'
    | 'token.expired';
  /** When it happened. */
  occurredAt: string;
  /** The way that the change came: the API, a command, the application that embeds the service, or the service itself. */
  source: 'api' | 'cli' | 'application' | 'service';
  /** Who made the change. */
  actor: EventActor;
  /** What was changed. */
  target: EventTarget;
  /** The `X-Request-ID` of the request that made the change; null if it was not a request. */
  requestId: string | null;
  /** The `user` or `token` as it was after the change, or as it was last if it is deleted. An event `user.updated` also has the former values of the changed fields, as `previous`. Null if the user has been purged. */
  data: Record<string, unknown> | null;
}

export interface UserPage {
  /** The users of this page. */
  data: User[];
  /** The `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
}

export interface DeletedUserPage {
  /** The users of this page. */
  data: DeletedUser[];
  /** The `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
}

export interface EventPage {
  /** The events of this page. */
  data: Event[];
  /** The `cursor` for the next page. In ascending order it is never null: keep it, and ask again later for what has happened since. */
  nextCursor: string | null;
}

/** An element of a batch: a user as in a POST, or with `upsert` the fields to change. */
export interface BatchUser {
  /** Full display name; surrounding white space is removed. */
  name?: string;
  /** Primary email address, unique within the organization; surrounding white space is removed. */
  email: string;
  /** For your application; the service does not interpret it. A new user is a `member` by default. */
  role?: 'member' | 'admin' | 'viewer';
  /** Arbitrary key-value pairs for your application: at most 1,000 JSON values of any type, at most 16 KB as compact JSON, and at most 8 levels of objects and arrays. */
  metadata?: Record<string, unknown>;
}

/** The body of every error (RFC 9457). */
export interface Problem {
  /** The name of the status. */
  title: string;
  /** The status of the response. */
  status: number;
  /** What failed, for programs. */
  code:
    | 'validation_failed'
    | 'malformed_json'
    | 'unauthorized'
    | 'insufficient_scope'
    | 'not_found'
    | 'method_not_allowed'
    | 'conflict'
    | 'precondition_failed'
    | 'precondition_required'
    | 'idempotency_mismatch'
    | 'idempotency_in_progress'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'rate_limited'
    | 'unavailable'
    | 'internal_error'
    | 'bad_request'
    | 'request_timeout'
    | 'headers_too_large'
    | 'expectation_failed';
  /** What failed, for people. */
  detail: string;
  /** The `X-Request-ID` of the response. */
  requestId: string;
  /** Every fault at once: on each 400, and on a 409 that a field is to blame for. */
  errors?: Fault[];
}

/** What is wrong with a field. */
export interface Fault {
  /** The name of the field or query parameter, such as `email` or `metadata.plan`; `body` for the whole body. */
  field: string;
  /** What is wrong with it, for programs. */
  code:
    | 'required'
    | 'unknown'
    | 'immutable'
    | 'taken'
    | 'invalid'
    | 'too_short'
    | 'too_long'
    | 'too_many'
    | 'out_of_range';
  /** The same for people; it completes "<field> …". */
  message: string;
}

export interface ListUsersQuery {
  /** The field to sort by. Letter case is ignored; for `name`, so are accents. */
  sort?: 'name' | 'email' | 'createdAt' | 'updatedAt';
  /** The direction of the sort. The default is `desc` for `createdAt` and `updatedAt`, and `asc` for `name` and `email`. */
  order?: 'asc' | 'desc';
  /** Only the user with this email address; letter case is ignored. */
  email?: string;
  /** Only users with this role. */
  role?: 'member' | 'admin' | 'viewer';
  /** The maximum number of items on the page. */
  limit?: number;
  /** The `nextCursor` of the previous page, which had the same sort, order and filters. Leave it out for the first page. */
  cursor?: string;
}

export interface SearchUsersQuery {
  /** Up to 10 words, all of which must be found: at the start of a word or inside one, in the name, the email or a string value of the metadata. A word of one or two letters is found at the start of words only. An id is found by the whole of it or by at least its first 12 characters. There is no special syntax. */
  q: string;
  /** Only users with this role. */
  role?: 'member' | 'admin' | 'viewer';
  /** The maximum number of items on the page. */
  limit?: number;
  /** The `nextCursor` of the previous page, which had the same sort, order and filters. Leave it out for the first page. */
  cursor?: string;
}

export interface ListDeletedUsersQuery {
  /** Only users who had this email address; letter case is ignored. */
  email?: string;
  /** The maximum number of items on the page. */
  limit?: number;
  /** The `nextCursor` of the previous page, which had the same sort, order and filters. Leave it out for the first page. */
  cursor?: string;
}

export interface ListTokensQuery {
  /** Only tokens in this state. */
  state?: 'active' | 'expired' | 'revoked';
  /** The maximum number of items on the page. */
  limit?: number;
  /** The `nextCursor` of the previous page, which had the same sort, order and filters. Leave it out for the first page. */
  cursor?: string;
}

export interface ListEventsQuery {
  /** The direction of the list: `asc`, oldest first, is the feed, with a `nextCursor` on every page; `desc` is the history. */
  order?: 'asc' | 'desc';
  /** Only events of these types, separated by commas. */
  type?: string;
  /** Only events of the user or token with this id. */
  target?: string;
  /** Only changes that were made with the token that has this id. */
  actor?: string;
  /** Only what happened at this time or later. */
  since?: string;
  /** Only what happened before this time. */
  until?: string;
  /** The maximum number of items on the page. */
  limit?: number;
  /** The `nextCursor` of the previous page, which had the same sort, order and filters. Leave it out for the first page. */
  cursor?: string;
}
