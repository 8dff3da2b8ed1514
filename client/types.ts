// Written by `npm run openapi` from openapi.json.

export interface Health {
  /** The only status of a 200; anything else is a 503. */
  status: 'ok';
}

export interface Batch {
  /** The users, each as in a POST. In the modes `upsert` and `update`, existing users require only the field that identifies them. */
  users: BatchUser[];
  /** What an element does: `create` creates a user, and is refused if the user exists; `update` changes an existing user as a PATCH does, and is refused if there is none; `upsert` does either. */
  mode?: 'create' | 'upsert' | 'update';
  /** The field that identifies the users of the modes `upsert` and `update`: `email`, the default; `externalId`, with which an element may also change the email; or, for `update` alone, `id`. */
  by?: 'email' | 'externalId' | 'id';
  /** Whether the metadata of elements is merged into that of the users, as by a merge patch (RFC 7396): a key that is null is removed, and a key that is not given stays. Only with `upsert` and `update`. */
  merge?: boolean;
  /** Whether one failure prevents the whole batch: the response is then a 400, or a 409 if the only failures are 409s. */
  atomic?: boolean;
  /** Whether to report what would happen without writing anything. */
  dryRun?: boolean;
}

export interface BatchResult {
  /** The position of the element. */
  index: number;
  /** The status that a separate request would have had: 201 created, 200 updated or unchanged, 400 invalid, 404 no such user, 409 email or external id taken. */
  status: 200 | 201 | 400 | 404 | 409;
  /** The id of the user; null on failure, and if a dry run would create the user. */
  id: string | null;
  /** The version of the user; null if `id` is null. */
  version: number | null;
  /** On failure: the error code. */
  code?: 'validation_failed' | 'not_found' | 'conflict';
  /** On a 400 or 409: every fault of the element, or the first one if all elements together have more than 1,000. */
  errors?: Fault[];
}

export interface BatchCounts {
  /** New users. */
  created: number;
  /** Users that were changed. */
  updated: number;
  /** Users that already had these values. */
  unchanged: number;
  /** Elements that were refused. */
  failed: number;
}

export interface BatchAnswer {
  /** One for each element, in the order of the request. */
  results: BatchResult[];
  /** The number of elements with each outcome. */
  counts: BatchCounts;
}

export interface BatchDelete {
  /** The users, each by the field that `by` names. */
  users: UserIdentity[];
  /** The field that identifies the users. */
  by?: 'email' | 'externalId' | 'id';
  /** Whether one failure prevents the whole batch: the response is then a 400, or a 409 if the only failures are 409s. */
  atomic?: boolean;
  /** Whether to report what would happen without writing anything. */
  dryRun?: boolean;
}

export interface BatchDeleteResult {
  /** The status that a separate request would have had: 204 deleted, 400 invalid, 404 no such user, 409 a table of the application still refers to the user. */
  status: 204 | 400 | 404 | 409;
  /** Always null: the user is gone. */
  version: number | null;
  /** On a 400: every fault of the element, or the first one if all elements together have more than 1,000. */
  errors?: Fault[];
  /** The position of the element. */
  index: number;
  /** The id of the user; null if it is not known. */
  id: string | null;
  /** On failure: the error code. */
  code?: 'validation_failed' | 'not_found' | 'conflict';
}

export interface BatchDeleteCounts {
  /** Users that were deleted. */
  deleted: number;
  /** Elements that were refused. */
  failed: number;
}

export interface BatchDeleteAnswer {
  /** One for each element, in the order of the request. */
  results: BatchDeleteResult[];
  /** The number of elements with each outcome. */
  counts: BatchDeleteCounts;
}

export interface CreateUser {
  /** Your own id of the user, such as a personnel number or the id in another system. It is unique within the organization and compared exactly; surrounding white space is removed. Null means none. */
  externalId?: string | null;
  /** Full display name; surrounding white space is removed. */
  name: string;
  /** Primary email address, unique within the organization; surrounding white space is removed. */
  email: string;
  /** For your application; the service does not interpret it. A new user is a `member` by default. */
  role?: 'member' | 'admin' | 'viewer';
  /** For your application; the service does not interpret it. A new user is active by default. */
  active?: boolean;
  /** Arbitrary key-value pairs for your application: at most 1,000 JSON values of any type, at most 16 KB as compact JSON, and at most 8 levels of objects and arrays. */
  metadata?: Record<string, unknown>;
}

export interface User {
  /** Assigned by the service: `usr_` and 26 letters and digits. */
  id: string;
  /** Your own id of the user, such as a personnel number; unique within the organization. Null if it has none. */
  externalId: string | null;
  /** Full display name. */
  name: string;
  /** Primary email address in its original letter case; unique within the organization. */
  email: string;
  /** For your application; the service does not interpret it. */
  role: 'member' | 'admin' | 'viewer';
  /** For your application; the service does not interpret it. A directory sets it to false for a user who has left. */
  active: boolean;
  /** Arbitrary key-value pairs for your application. */
  metadata: Record<string, unknown>;
  /** How often the user has been written: 1 for a new user, incremented by every change. */
  version: number;
  /** When the user was created. */
  createdAt: string;
  /** When the user was last changed. */
  updatedAt: string;
  /** The attributes that a directory has set through SCIM; null if none has. Only with `include=directory`. */
  directory?: Directory | null;
}

export interface UpdateUser {
  /** Your own id of the user, such as a personnel number or the id in another system. It is unique within the organization and compared exactly; surrounding white space is removed. Null means none. */
  externalId?: string | null;
  /** Full display name; surrounding white space is removed. */
  name?: string;
  /** Primary email address, unique within the organization; surrounding white space is removed. */
  email?: string;
  /** For your application; the service does not interpret it. A new user is a `member` by default. */
  role?: 'member' | 'admin' | 'viewer';
  /** For your application; the service does not interpret it. A new user is active by default. */
  active?: boolean;
  /** Arbitrary key-value pairs for your application: at most 1,000 JSON values of any type, at most 16 KB as compact JSON, and at most 8 levels of objects and arrays. */
  metadata?: Record<string, unknown>;
}

export interface DeletedUser {
  /** Assigned by the service: `usr_` and 26 letters and digits. */
  id: string;
  /** Your own id of the user, such as a personnel number; unique within the organization. Null if it has none. */
  externalId: string | null;
  /** Full display name. */
  name: string;
  /** Primary email address in its original letter case; unique within the organization. */
  email: string;
  /** For your application; the service does not interpret it. */
  role: 'member' | 'admin' | 'viewer';
  /** For your application; the service does not interpret it. A directory sets it to false for a user who has left. */
  active: boolean;
  /** Arbitrary key-value pairs for your application. */
  metadata: Record<string, unknown>;
  /** How often the user has been written: 1 for a new user, incremented by every change. */
  version: number;
  /** When the user was created. */
  createdAt: string;
  /** When the user was last changed. */
  updatedAt: string;
  /** The attributes that a directory has set through SCIM; null if none has. Only with `include=directory`. */
  directory?: Directory | null;
  /** When the user was deleted. */
  deletedAt: string;
  /** When the user becomes due for purging, which happens within an hour, unless it is restored. */
  purgeAt: string;
}

export interface RestoreUser {
  /** Another email address for the user, if the former one is taken by now. */
  email?: string;
}

export interface BatchRestore {
  /** The deleted users, each by its `id`. */
  users: {
    /** The id. */
    id: string;
  }[];
  /** Whether one failure prevents the whole batch: the response is then a 400, or a 409 if the only failures are 409s. */
  atomic?: boolean;
  /** Whether to report what would happen without writing anything. */
  dryRun?: boolean;
}

export interface BatchRestoreResult {
  /** The status that a separate request would have had: 200 restored, 400 invalid, 404 no such deleted user, 409 the email or the external id is taken by now. */
  status: 200 | 400 | 404 | 409;
  /** The version of the restored user; null on failure. */
  version: number | null;
  /** On a 400 or 409: every fault of the element, or the first one if all elements together have more than 1,000. */
  errors?: Fault[];
  /** The position of the element. */
  index: number;
  /** The id of the user; null if it is not known. */
  id: string | null;
  /** On failure: the error code. */
  code?: 'validation_failed' | 'not_found' | 'conflict';
}

export interface BatchRestoreCounts {
  /** Users that were restored. */
  restored: number;
  /** Elements that were refused. */
  failed: number;
}

export interface BatchRestoreAnswer {
  /** One for each element, in the order of the request. */
  results: BatchRestoreResult[];
  /** The number of elements with each outcome. */
  counts: BatchRestoreCounts;
}

export interface Group {
  /** Assigned by the service: `grp_` and 26 letters and digits. */
  id: string;
  /** The name of the group, unique in the organization without regard to letter case. */
  displayName: string;
  /** The id by which the directory knows the group; null if it gave none. */
  externalId: string | null;
  /** How many users are in the group. */
  memberCount: number;
  /** When the group was created. */
  createdAt: string;
  /** When the directory last changed the group or its members. */
  updatedAt: string;
}

export interface GroupPage {
  /** The groups of this page. */
  data: Group[];
  /** The `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
}

export interface TokenCreator {
  /** The issuer of the identity. */
  issuer: string;
  /** The id of the person or workload at that issuer. */
  subject: string;
  /** The name of the person; of a workload, its id. */
  name: string;
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
  /** How many requests the token may make in a minute; null if the limit of the service applies. */
  rateLimit: number | null;
  /** The networks from which the token may be used; null if from anywhere. */
  allowedNetworks: string[] | null;
  /** The person whose sign-in to the dashboard created the token, or the workload whose signed assertion did; null if it was created in another way. */
  createdBy: TokenCreator | null;
  /** The id of the token whose value was exchanged for this one, which ends with it; null if none was. */
  parentId: string | null;
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
  /** How long the token is valid, in days: from `1d` to `3650d`. By default it never expires. A service with a maximum (`TOKEN_MAX_DAYS`) requires a term within it. */
  expiresIn?: string;
  /** How many requests the token may make in a minute: from 1 to the limit of the service, which is the default, or for the operator to 100,000. */
  rateLimit?: number;
  /** From where the token may be used: 1 to 20 networks or single addresses; null, the default, means from anywhere. A request from elsewhere is a 403 `network_not_allowed`. */
  allowedNetworks?: string[] | null;
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
  /** How many requests the token may make in a minute; null if the limit of the service applies. */
  rateLimit: number | null;
  /** The networks from which the token may be used; null if from anywhere. */
  allowedNetworks: string[] | null;
  /** The person whose sign-in to the dashboard created the token, or the workload whose signed assertion did; null if it was created in another way. */
  createdBy: TokenCreator | null;
  /** The id of the token whose value was exchanged for this one, which ends with it; null if none was. */
  parentId: string | null;
  /** The value, which is shown only here. */
  token: string;
}

export interface UpdateToken {
  /** A label for people; surrounding white space is removed. */
  name?: string;
  /** Some of the scopes that the token has. One that it lacks cannot be added. */
  scopes?: ('users:read' | 'users:write' | 'users:delete' | 'admin')[];
  /** How many requests the token may make in a minute: from 1 to the limit of the service, or for the operator to 100,000; null means the limit of the service. It holds in the window that is running, too. */
  rateLimit?: number | null;
  /** From where the token may be used: 1 to 20 networks or single addresses; null means from anywhere. */
  allowedNetworks?: string[] | null;
}

export interface RotateToken {
  /** How long the old token still works, in hours: from `0h`, which revokes it at once, to `168h`. It never works longer than it would have. */
  overlap?: string;
  /** How long the new token is valid, in days: from `1d` to `3650d`. By default the full term of the old one, which must be within the maximum of the service, if it has one (`TOKEN_MAX_DAYS`). */
  expiresIn?: string;
}

export interface AccessToken {
  /** The value of the token, which is shown only here. */
  access_token: string;
  /** How to send it: `Authorization: Bearer <token>`. */
  token_type: 'Bearer';
  /** How many seconds the token lives: at most an hour. */
  expires_in: number;
  /** The scopes of the token, separated by spaces. */
  scope: string;
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
  type: 'user' | 'group' | 'token' | 'webhook' | 'organization';
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
    | 'group.created'
    | 'group.updated'
    | 'group.deleted'
    | 'group.member_added'
    | 'group.member_removed'
    | 'token.created'
    | 'token.updated'
    | 'token.rotated'
    | 'token.revoked'
    | 'token.expiring'
    | 'token.expired'
    | 'webhook.created'
    | 'webhook.updated'
    | 'webhook.deleted'
    | 'webhook.disabled'
    | 'organization.suspended'
    | 'organization.resumed';
  /** When it happened. */
  occurredAt: string;
  /** Where the change came from: the API, a directory (SCIM), a command, the application that embeds the service, the service itself, or a sign-in to the dashboard. */
  source: 'api' | 'scim' | 'cli' | 'application' | 'service' | 'sign-in' | 'federation';
  /** Who made the change. */
  actor: EventActor;
  /** What was changed. */
  target: EventTarget;
  /** The `X-Request-ID` of the request that made the change; null if it was not a request. */
  requestId: string | null;
  /** The person for whom the change was made, as the `X-On-Behalf-Of` of the request named it; null if it named nobody. The service has not checked it: it is the caller's word. */
  onBehalfOf: string | null;
  /** The `user`, `group`, `token`, `webhook` or `organization` after the change, or before it if it was deleted. If the type ends in `.updated`, `previous` has the former values of the changed fields. If a group's member was added or removed, `group` has only its ID and name, and `user` the member's ID. Null if the user has been purged. */
  data: Record<string, unknown> | null;
}

export interface OrganizationName {
  /** Assigned by the service: `org_` and 26 letters and digits. */
  id: string;
  /** The name of the organization. */
  name: string;
}

export interface UserCounts {
  /** The number of users; 100,000 if there are more. */
  total: number;
  /** The number of active users; 100,000 if there are more. */
  active: number;
  /** Whether both numbers are below 100,000, and so exact. If false, a number that is 100,000 means "at least 100,000". */
  exact: boolean;
}

export interface CreatedOnDay {
  /** The day, in UTC. */
  date: string;
  /** The number of users; 10,000 if there are more. */
  count: number;
}

export interface Statistics {
  /** The organization of the token. */
  organization: OrganizationName;
  /** The number of users. */
  users: UserCounts;
  /** The last 30 days, oldest first; the last one is today. */
  createdByDay: CreatedOnDay[];
  /** When the users were counted: up to a minute ago. */
  countedAt: string;
}

export interface Settings {
  /** The version of the service. */
  version: string;
  /** The URL at which the service is reached, without a trailing slash; null if the operator has not set it. */
  publicUrl: string | null;
  /** The number of requests that a token without a limit of its own may make in a window of 60 seconds. */
  rateLimitPerMinute: number;
  /** The number of days that a new token may live; null if it may live forever. */
  tokenMaxDays: number | null;
  /** Whether a PATCH or DELETE of a user must have an `If-Match` header. */
  requireIfMatch: boolean;
  /** The number of days that events are kept. */
  eventRetentionDays: number;
  /** The number of days that a deleted user can be restored; 0 if deleted users are erased at once. */
  deletedUsersRetentionDays: number;
  /** Whether webhooks can be created. */
  webhooks: boolean;
}

export interface Organization {
  /** Assigned by the service: `org_` and 26 letters and digits. */
  id: string;
  /** A name for people; several organizations may have the same. */
  name: string;
  /** The id by which another system knows the organization; null if it has none. */
  externalId: string | null;
  /** Whether every access with a token of the organization is refused, and nothing is sent to its webhooks. */
  suspended: boolean;
  /** When the organization was created. */
  createdAt: string;
  /** When it was last renamed, suspended, resumed, or given another external id. */
  updatedAt: string;
}

export interface OrganizationPage {
  /** The organizations of this page. */
  data: Organization[];
  /** The `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
}

export interface CreateOrganization {
  /** A name for people; surrounding white space is removed. */
  name: string;
  /** The id by which another system knows the organization; no two organizations have the same. Null means none. */
  externalId?: string | null;
}

export interface UpdateOrganization {
  /** A name for people; surrounding white space is removed. */
  name?: string;
  /** The id by which another system knows the organization; no two organizations have the same. Null means none. */
  externalId?: string | null;
  /** Whether every access with a token of the organization is refused, and nothing is sent to its webhooks. */
  suspended?: boolean;
}

export interface Webhook {
  /** Assigned by the service: `whk_` and 26 letters and digits. */
  id: string;
  /** Where events are sent. */
  url: string;
  /** The types of the events that are sent, or `*` for all. */
  types: string[];
  /** A label for people; null if none was given. */
  description: string | null;
  /** Whether events are sent. Events that happen while it is false are not sent later. */
  enabled: boolean;
  /** Whether events are sent in full, or without `data` and `onBehalfOf`. */
  payload: 'full' | 'thin';
  /** Whether the next event is sent only when the one before it has been delivered or given up. */
  ordering: 'none' | 'organization';
  /** Why the service has disabled it: `gone` after a 410, `failing` after five days of failures; null if it has not. */
  disabledReason: string | null;
  /** When the webhook was created. */
  createdAt: string;
  /** When its settings were last changed. */
  updatedAt: string;
  /** When an event was last delivered; null if none has been. */
  lastSuccessAt: string | null;
  /** When the first delivery since then failed; null if none has failed. */
  failingSince: string | null;
}

export interface WebhookPage {
  /** The webhooks of this page. */
  data: Webhook[];
  /** The `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
}

export interface CreateWebhook {
  /** Where events are sent: an `https` URL without a user and a fragment. No connection is made to an address that is not public. */
  url: string;
  /** The types of the events that are sent, each once, or `*` for all. */
  types: (
    | 'user.created'
    | 'user.updated'
    | 'user.deleted'
    | 'user.restored'
    | 'user.purged'
    | 'group.created'
    | 'group.updated'
    | 'group.deleted'
    | 'group.member_added'
    | 'group.member_removed'
    | 'token.created'
    | 'token.updated'
    | 'token.rotated'
    | 'token.revoked'
    | 'token.expiring'
    | 'token.expired'
    | 'webhook.created'
    | 'webhook.updated'
    | 'webhook.deleted'
    | 'webhook.disabled'
    | 'organization.suspended'
    | 'organization.resumed'
    | '*'
  )[];
  /** A label for people; surrounding white space is removed. */
  description?: string;
  /** Whether events are sent. By default they are. Disabling a webhook fails its pending deliveries; enabling it sends the events from then on. */
  enabled?: boolean;
  /** With `thin` no personal data leaves the service: `data` and `onBehalfOf` are left out, and the receiver reads them from the API. The default is `full`. */
  payload?: 'full' | 'thin';
  /** With `organization` the next event is sent only when the one before it has been delivered or given up, so they arrive in the order of `sequence`. By default a slow delivery does not hold up others. */
  ordering?: 'none' | 'organization';
}

export interface NewWebhook {
  /** Assigned by the service: `whk_` and 26 letters and digits. */
  id: string;
  /** Where events are sent. */
  url: string;
  /** The types of the events that are sent, or `*` for all. */
  types: string[];
  /** A label for people; null if none was given. */
  description: string | null;
  /** Whether events are sent. Events that happen while it is false are not sent later. */
  enabled: boolean;
  /** Whether events are sent in full, or without `data` and `onBehalfOf`. */
  payload: 'full' | 'thin';
  /** Whether the next event is sent only when the one before it has been delivered or given up. */
  ordering: 'none' | 'organization';
  /** Why the service has disabled it: `gone` after a 410, `failing` after five days of failures; null if it has not. */
  disabledReason: string | null;
  /** When the webhook was created. */
  createdAt: string;
  /** When its settings were last changed. */
  updatedAt: string;
  /** When an event was last delivered; null if none has been. */
  lastSuccessAt: string | null;
  /** When the first delivery since then failed; null if none has failed. */
  failingSince: string | null;
  /** The secret that signs deliveries, which is shown only here. */
  secret: string;
}

export interface UpdateWebhook {
  /** Where events are sent: an `https` URL without a user and a fragment. No connection is made to an address that is not public. */
  url?: string;
  /** The types of the events that are sent, each once, or `*` for all. */
  types?: (
    | 'user.created'
    | 'user.updated'
    | 'user.deleted'
    | 'user.restored'
    | 'user.purged'
    | 'group.created'
    | 'group.updated'
    | 'group.deleted'
    | 'group.member_added'
    | 'group.member_removed'
    | 'token.created'
    | 'token.updated'
    | 'token.rotated'
    | 'token.revoked'
    | 'token.expiring'
    | 'token.expired'
    | 'webhook.created'
    | 'webhook.updated'
    | 'webhook.deleted'
    | 'webhook.disabled'
    | 'organization.suspended'
    | 'organization.resumed'
    | '*'
  )[];
  /** A label for people; surrounding white space is removed. */
  description?: string;
  /** Whether events are sent. By default they are. Disabling a webhook fails its pending deliveries; enabling it sends the events from then on. */
  enabled?: boolean;
  /** With `thin` no personal data leaves the service: `data` and `onBehalfOf` are left out, and the receiver reads them from the API. The default is `full`. */
  payload?: 'full' | 'thin';
  /** With `organization` the next event is sent only when the one before it has been delivered or given up, so they arrive in the order of `sequence`. By default a slow delivery does not hold up others. */
  ordering?: 'none' | 'organization';
}

export interface RotateSecret {
  /** How long the old secret also signs, in hours: from `0h` to `168h`. */
  overlap?: string;
}

export interface Accepted {
  /** The id of the event that is sent; null for a range of events. */
  eventId: string | null;
}

export interface Delivery {
  /** Assigned by the service: `dlv_` and 26 letters and digits. */
  id: string;
  /** The id of the event, which is also the `webhook-id` of each attempt. */
  eventId: string;
  /** The type of the event. */
  type: string;
  /** `failed` after the last attempt, after a 410, or when the webhook was disabled. */
  state: 'pending' | 'delivered' | 'failed';
  /** How often it has been sent; at most ten times. */
  attempts: number;
  /** The status of the last attempt's response; null if there was none. */
  lastStatus: number | null;
  /** Why the last attempt had no success: `status`: its status is not 2xx; `dns`: the name has no address; `address`: a webhook may not reach it; `refused`: nobody accepts connections; `tls`: no TLS, or no valid certificate; `reset`: the connection ended without a response; `timeout`: no response within 15 seconds; `protocol`: the response is not HTTP. Null after a success, before the first attempt, and if the event has been removed. */
  lastError: 'status' | 'dns' | 'refused' | 'reset' | 'timeout' | 'tls' | 'address' | 'protocol' | null;
  /** How many milliseconds the last attempt took, until the status of its response or its end without one; null if there was none. */
  lastDurationMs: number | null;
  /** When it will be sent next; null if it will not be. */
  nextAttemptAt: string | null;
  /** When it was due for the first time. */
  createdAt: string;
}

export interface DeliveryPage {
  /** The deliveries of this page. */
  data: Delivery[];
  /** The `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
}

export interface Redeliver {
  /** The id of one event, which is sent whatever the types of the webhook. */
  eventId?: string;
  /** Instead of one event: all events from this time on whose types match. */
  since?: string;
  /** Only what happened before this time. The default is now. */
  until?: string;
}

export interface UserPage {
  /** The users of this page. */
  data: User[];
  /** The `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
}

export interface MergeUser {
  /** Your own id of the user, such as a personnel number or the id in another system. It is unique within the organization and compared exactly; surrounding white space is removed. Null means none. */
  externalId?: string | null;
  /** Full display name; surrounding white space is removed. */
  name?: string;
  /** Primary email address, unique within the organization; surrounding white space is removed. */
  email?: string;
  /** For your application; the service does not interpret it. A new user is a `member` by default. */
  role?: 'member' | 'admin' | 'viewer';
  /** For your application; the service does not interpret it. A new user is active by default. */
  active?: boolean;
  /** Changes of the metadata: a key that is null is removed, also inside an object, and any other value replaces the one that is there. The result has the limits of metadata. */
  metadata?: Record<string, unknown>;
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
  /** The `cursor` for the next page. In ascending order it is never null: keep it, and use it later to get newer events. */
  nextCursor: string | null;
}

export interface UserExport {
  /** When the export began. */
  exportedAt: string;
  /** The user. */
  user: User;
  /** The attributes that a directory has set through SCIM; null if none has. */
  directory: Directory | null;
  /** All groups that the user is in. */
  groups: Group[];
  /** The events about the user that are still stored, oldest first: those whose target is the user, and those of groups that the user was added to or removed from. */
  events: Event[];
}

/** An element of a batch: a user as in a POST, or the fields to change and the one that identifies the user. */
export interface BatchUser {
  /** Only with `by: "id"`. */
  id?: string;
  /** Your own id of the user, such as a personnel number or the id in another system. It is unique within the organization and compared exactly; surrounding white space is removed. Null means none. */
  externalId?: string | null;
  /** Full display name; surrounding white space is removed. */
  name?: string;
  /** Primary email address, unique within the organization; surrounding white space is removed. */
  email?: string;
  /** For your application; the service does not interpret it. A new user is a `member` by default. */
  role?: 'member' | 'admin' | 'viewer';
  /** For your application; the service does not interpret it. A new user is active by default. */
  active?: boolean;
  /** Replaces the metadata as a whole; with `merge: true` it is merged (RFC 7396): a key that is null is removed, and other keys stay. The limits hold for the result. */
  metadata?: Record<string, unknown>;
}

/** The attributes of a user that a directory has set through SCIM, by their names in RFC 7643. */
export interface Directory {
  /** The name by which the directory knows the user. */
  userName?: string;
  /** The id of the resource in the directory. */
  externalId?: string;
  /** The parts of the name. */
  name?: {
    /** The full name, formatted for display. */
    formatted?: string;
    /** The family name. */
    familyName?: string;
    /** The given name. */
    givenName?: string;
    /** The middle names. */
    middleName?: string;
    /** What precedes the name, such as Dr. */
    honorificPrefix?: string;
    /** What follows the name, such as III. */
    honorificSuffix?: string;
  };
  /** The name to display. */
  displayName?: string;
  /** The casual name. */
  nickName?: string;
  /** The address of a page about the user. */
  profileUrl?: string;
  /** The job title. */
  title?: string;
  /** The relationship to the organization, such as Contractor. */
  userType?: string;
  /** The preferred languages, as in Accept-Language. */
  preferredLanguage?: string;
  /** The region by whose conventions dates and numbers are formatted, such as en-US. */
  locale?: string;
  /** The time zone, such as Europe/Berlin. */
  timezone?: string;
  /** The email addresses. */
  emails?: {
    /** The address. */
    value?: string;
    /** The value to display. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; true for at most one. */
    primary?: boolean;
  }[];
  /** The telephone numbers. */
  phoneNumbers?: {
    /** The number. */
    value?: string;
    /** The value to display. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; true for at most one. */
    primary?: boolean;
  }[];
  /** The addresses for instant messages. */
  ims?: {
    /** The address. */
    value?: string;
    /** The value to display. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; true for at most one. */
    primary?: boolean;
  }[];
  /** The addresses of photos. */
  photos?: {
    /** The address. */
    value?: string;
    /** The value to display. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; true for at most one. */
    primary?: boolean;
  }[];
  /** The postal addresses. */
  addresses?: {
    /** The full address, formatted for display. */
    formatted?: string;
    /** Street and number. */
    streetAddress?: string;
    /** The city. */
    locality?: string;
    /** The state or region. */
    region?: string;
    /** The postal code. */
    postalCode?: string;
    /** The country. */
    country?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; true for at most one. */
    primary?: boolean;
  }[];
  /** The things that the user is entitled to. */
  entitlements?: {
    /** The entitlement. */
    value?: string;
    /** The value to display. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; true for at most one. */
    primary?: boolean;
  }[];
  /** The roles. A primary one that is member, admin or viewer becomes the role of the user. */
  roles?: {
    /** The role. */
    value?: string;
    /** The value to display. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; true for at most one. */
    primary?: boolean;
  }[];
  /** The certificates of the user. */
  x509Certificates?: {
    /** The certificate, in base64. */
    value?: string;
    /** The value to display. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; true for at most one. */
    primary?: boolean;
  }[];
  /** The employee number. */
  employeeNumber?: string;
  /** The cost center. */
  costCenter?: string;
  /** The organization. */
  organization?: string;
  /** The division. */
  division?: string;
  /** The department. */
  department?: string;
  /** The manager of the user. */
  manager?: {
    /** The id of the manager in the directory or here. */
    value?: string;
    /** The name of the manager. */
    displayName?: string;
  };
}

/** The one field that identifies a user: the `id`, or another one that `by` names. */
export interface UserIdentity {
  /** The id. */
  id?: string;
  /** The email address; letter case is ignored. */
  email?: string;
  /** Your own id of the user. */
  externalId?: string;
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
    | 'network_not_allowed'
    | 'organization_suspended'
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
    | 'out_of_range'
    | 'not_found';
  /** The same for people; it completes "<field> …". */
  message: string;
}

/** A token request of OAuth 2.0. No field may stand twice. */
export interface TokenRequest {
  /** What is exchanged: the value of a token, or an assertion. */
  grant_type: 'client_credentials' | 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  /** The scopes of the new token, separated by spaces. By default all that the old one has, or that the rules give. */
  scope?: string;
  /** The id of the token that is exchanged, unless it comes by HTTP Basic. */
  client_id?: string;
  /** The value of that token, unless it comes by HTTP Basic. */
  client_secret?: string;
  /** A JWT of an issuer that the operators trust, such as that of a Kubernetes service account or of a pipeline. */
  assertion?: string;
  /** The organization of the new token, if the assertion gives access to several. */
  organization_id?: string;
}

/** The body of an error of OAuth 2.0 (RFC 6749). */
export interface OAuthError {
  /** What failed, for programs. */
  error:
    | 'invalid_request'
    | 'invalid_client'
    | 'invalid_grant'
    | 'unsupported_grant_type'
    | 'invalid_scope'
    | 'slow_down'
    | 'server_error'
    | 'temporarily_unavailable';
  /** What failed, for people. */
  error_description: string;
}

export interface ListUsersQuery {
  /** The field to sort by. Letter case is ignored; for `name`, so are accents. */
  sort?: 'name' | 'email' | 'createdAt' | 'updatedAt';
  /** The direction of the sort. The default is `desc` for `createdAt` and `updatedAt`, and `asc` for `name` and `email`. */
  order?: 'asc' | 'desc';
  /** Only the users with these ids, up to 200. */
  id?: string | string[];
  /** Only the user with this external id. */
  externalId?: string;
  /** Only the user with this email address; letter case is ignored. */
  email?: string;
  /** Only the members of the group with this id. */
  group?: string;
  /** Only users who were created at this time or later; a date alone is its midnight in UTC. Only for a list sorted by `createdAt`, and not together with `group`. */
  createdSince?: string;
  /** Only users who were created before this time; a date alone is its midnight in UTC. Only for a list sorted by `createdAt`, and not together with `group`. */
  createdUntil?: string;
  /** Only users who were last changed at this time or later; a date alone is its midnight in UTC. Only with `sort=updatedAt`, and not together with `group`. */
  updatedSince?: string;
  /** Only users who were last changed before this time; a date alone is its midnight in UTC. Only with `sort=updatedAt`, and not together with `group`. */
  updatedUntil?: string;
  /** Only users with one of these roles. */
  role?: 'member' | 'admin' | 'viewer' | ('member' | 'admin' | 'viewer')[];
  /** Only users who are active, or only those who are not. */
  active?: boolean;
  /** What to show besides the fields of the users: `directory`, the attributes that a directory has set through SCIM. */
  include?: 'directory' | 'directory'[];
  /** The maximum number of items on the page, which ends early where it would pass 1 MB. */
  limit?: number;
  /** The `nextCursor` of the previous page, which had the same sort, order and filters. Leave it out for the first page. */
  cursor?: string;
}

export interface SearchUsersQuery {
  /** Up to 10 words, all of which must be found at the start of a word or inside one, in the name, the email or a string value of the metadata. A word of one or two letters is found only at the start of words. An id is found by its full text or by at least its first 12 characters, and an external id by its full text. There is no special syntax. */
  q: string;
  /** Only users with one of these roles. */
  role?: 'member' | 'admin' | 'viewer' | ('member' | 'admin' | 'viewer')[];
  /** Only users who are active, or only those who are not. */
  active?: boolean;
  /** What to show besides the fields of the users: `directory`, the attributes that a directory has set through SCIM. */
  include?: 'directory' | 'directory'[];
  /** The maximum number of items on the page, which ends early where it would pass 1 MB. */
  limit?: number;
  /** The `nextCursor` of the previous page, which had the same sort, order and filters. Leave it out for the first page. */
  cursor?: string;
}

export interface GetUsersQuery {
  /** What to show besides the fields of the user: `directory`, the attributes that a directory has set through SCIM. */
  include?: 'directory' | 'directory'[];
}

export interface ListDeletedUsersQuery {
  /** Only users who had this email address; letter case is ignored. */
  email?: string;
  /** What to show besides the fields of the users: `directory`, the attributes that a directory has set through SCIM. */
  include?: 'directory' | 'directory'[];
  /** The maximum number of items on the page, which ends early where it would pass 1 MB. */
  limit?: number;
  /** The `nextCursor` of the previous page, which had the same sort, order and filters. Leave it out for the first page. */
  cursor?: string;
}

export interface GetDeletedUsersQuery {
  /** What to show besides the fields of the user: `directory`, the attributes that a directory has set through SCIM. */
  include?: 'directory' | 'directory'[];
}

export interface ListGroupsQuery {
  /** Only the group with this name; letter case is ignored. */
  displayName?: string;
  /** Only the groups that the user with this id is in. */
  user?: string;
  /** The maximum number of items on the page, which ends early where it would pass 1 MB. */
  limit?: number;
  /** The `nextCursor` of the previous page, which had the same sort, order and filters. Leave it out for the first page. */
  cursor?: string;
}

export interface ListTokensQuery {
  /** Only tokens in this state. */
  state?: 'active' | 'expired' | 'revoked';
  /** Whether to return only tokens of sign-ins to the dashboard and of exchanges (`true`), or only the others (`false`). */
  session?: boolean;
  /** Only tokens that the value of the token with this id was exchanged for. */
  parent?: string;
  /** The maximum number of items on the page, which ends early where it would pass 1 MB. */
  limit?: number;
  /** The `nextCursor` of the previous page, which had the same sort, order and filters. Leave it out for the first page. */
  cursor?: string;
}

export interface ListEventsQuery {
  /** The direction of the list: `asc`, oldest first, is the feed, with a `nextCursor` on every page; `desc` is the history. */
  order?: 'asc' | 'desc';
  /** Only events of these types, separated by commas. */
  type?: string;
  /** Only events of the user, group, token, webhook or organization with this id. Those of a user include how it was added to groups and removed from them, although the target of these events is the group. */
  target?: string;
  /** Only changes that were made with the token that has this id. */
  actor?: string;
  /** Only events at this time or later; a date alone is its midnight in UTC. */
  since?: string;
  /** Only events before this time; a date alone is its midnight in UTC. */
  until?: string;
  /** The maximum number of items on the page, which ends early where it would pass 1 MB. */
  limit?: number;
  /** The `nextCursor` of the previous page, which had the same sort, order and filters. Leave it out for the first page. */
  cursor?: string;
}

export interface ListWebhooksQuery {
  /** The maximum number of items on the page, which ends early where it would pass 1 MB. */
  limit?: number;
  /** The `nextCursor` of the previous page, which had the same sort, order and filters. Leave it out for the first page. */
  cursor?: string;
}

export interface ListDeliveriesQuery {
  /** Only deliveries in this state. */
  state?: 'pending' | 'delivered' | 'failed';
  /** The maximum number of items on the page, which ends early where it would pass 1 MB. */
  limit?: number;
  /** The `nextCursor` of the previous page, which had the same sort, order and filters. Leave it out for the first page. */
  cursor?: string;
}

export interface ListOrganizationsQuery {
  /** The direction of the list, which is by `createdAt`. */
  order?: 'asc' | 'desc';
  /** Only the organization with this external id. */
  externalId?: string;
  /** The maximum number of items on the page, which ends early where it would pass 1 MB. */
  limit?: number;
  /** The `nextCursor` of the previous page, which had the same sort, order and filters. Leave it out for the first page. */
  cursor?: string;
}
