import { Feed, type FeedOptions } from './feed.ts';
import type { CallOptions, ClientOptions, CreateOptions, UpdateOptions, WriteOptions } from './options.ts';
import type { Page } from './pages.ts';
import { itemPath } from './paths.ts';
import { Transport } from './transport.ts';
import type {
  Batch,
  BatchAnswer,
  BatchDelete,
  BatchDeleteAnswer,
  BatchRestore,
  BatchRestoreAnswer,
  BatchUser,
  CreateToken,
  CreateUser,
  CreateWebhook,
  DeletedUser,
  Delivery,
  Event,
  GetUsersQuery,
  Group,
  ListDeletedUsersQuery,
  ListDeliveriesQuery,
  ListEventsQuery,
  ListGroupsQuery,
  ListTokensQuery,
  ListUsersQuery,
  ListWebhooksQuery,
  NewToken,
  NewWebhook,
  Accepted,
  Redeliver,
  RotateSecret,
  RestoreUser,
  RotateToken,
  SearchUsersQuery,
  Settings,
  Statistics,
  Token,
  UpdateUser,
  UpdateToken,
  UpdateWebhook,
  User,
  UserExport,
  Webhook,
} from './types.ts';

export { ApiError, type FieldFault } from './api-error.ts';
export type { Feed, FeedOptions } from './feed.ts';
export { createOperatorClient, type OperatorClient } from './operator.ts';
export type {
  AssertionCredentials,
  CallOptions,
  ClientCredentials,
  ClientOptions,
  ConnectionOptions,
  CreateOptions,
  Credentials,
  OperatorClientOptions,
  UpdateOptions,
  WriteOptions,
} from './options.ts';
export type { Page, Pages } from './pages.ts';
export type * from './types.ts';

export type Client = ReturnType<typeof createClient>;

/**
 * Creates a client for Node.js and browsers. Calls reject with an `ApiError`, or with the abort reason if the caller
 * aborts them. Invalid options, such as a `baseUrl` without a scheme, are a `TypeError`.
 */
export function createClient(options: ClientOptions) {
  if ((options.token === undefined) === (options.credentials === undefined))
    throw new TypeError('createClient() requires either a token, which starts with umt_, or credentials.');
  const transport = new Transport(options);

  return {
    /** Gets the statistics of the organization, up to a minute old. */
    statistics: (options?: CallOptions) =>
      transport.send<Statistics>({ method: 'GET', path: STATISTICS }, options),
    /** Gets what the operator of the service has set, as far as it concerns the organization. */
    settings: (options?: CallOptions) => transport.send<Settings>({ method: 'GET', path: SETTINGS }, options),
    users: {
      /** Iterates over all users. Pages are fetched as needed. */
      list: (query?: ListUsersQuery, options?: CallOptions) => transport.list<User>(USERS, query, options),
      /** Iterates over the users that match the text, best match first. */
      search: (query: SearchUsersQuery, options?: CallOptions) => {
        if (typeof query?.q !== 'string')
          throw new TypeError("users.search() takes an object, such as users.search({ q: 'ada' }).");
        return transport.list<User>(`${USERS}/search`, query, options);
      },
      /** Creates a user, once even if the call is retried. */
      create: (user: CreateUser, options?: CreateOptions) => {
        const idempotencyKey = options?.idempotencyKey ?? newKey();
        return transport.send<User>({ method: 'POST', path: USERS, body: user, idempotencyKey }, options);
      },
      /**
       * Creates up to 500 users, or changes existing ones by the modes `upsert` and `update`. Returns the outcome of
       * each, in order. Written once even if the call is retried.
       */
      batch: (users: BatchUser[], { mode, by, merge, atomic, dryRun, ...options }: BatchOptions = {}) =>
        transport.send<BatchAnswer>(
          {
            method: 'POST',
            path: `${USERS}/batch`,
            body: { users, mode, by, merge, atomic, dryRun },
            idempotencyKey: options.idempotencyKey ?? newKey(),
          },
          options,
        ),
      /**
       * Deletes up to 500 users, given by their ids, or by another field if `by` names it. Returns the outcome of each,
       * in order. Done once even if the call is retried.
       */
      batchDelete: (users: string[], { by = 'id', atomic, dryRun, ...options }: BatchDeleteOptions = {}) =>
        transport.send<BatchDeleteAnswer>(
          {
            method: 'POST',
            path: `${USERS}/batch-delete`,
            body: { users: users.map((user) => ({ [by]: user })), by, atomic, dryRun },
            idempotencyKey: options.idempotencyKey ?? newKey(),
          },
          options,
        ),
      get: (id: string, { include, ...options }: GetOptions = {}) =>
        transport.send<User>({ method: 'GET', path: itemPath(USERS, id), query: { include } }, options),
      /**
       * Changes only the given fields, and with `merge` only the given keys of the metadata. Never retried: if the
       * response is lost, the change may have been made.
       */
      update: (id: string, changes: UpdateUser, { merge, ifMatch, ...options }: UpdateOptions = {}) =>
        transport.send<User>(
          {
            method: 'PATCH',
            path: itemPath(USERS, id),
            body: changes,
            bodyType: merge ? 'application/merge-patch+json' : undefined,
            ifMatch,
          },
          options,
        ),
      /** Deletes a user. Also succeeds if the user is gone when the call is retried, whoever deleted it. */
      delete: (id: string, options?: WriteOptions) =>
        transport.send<void>(
          { method: 'DELETE', path: itemPath(USERS, id), ifMatch: options?.ifMatch },
          options,
        ),
      /**
       * Gets everything that the service stores about a user, for a person who asks for their data. The document may be
       * long, so the default timeout is 10 minutes.
       */
      export: (id: string, options?: CallOptions) =>
        transport.send<UserExport>(
          { method: 'GET', path: `${itemPath(USERS, id)}/export` },
          { timeoutMs: EXPORT_TIMEOUT_MS, ...options },
        ),
    },
    deletedUsers: {
      /** Iterates over the deleted users, latest deletion first. Pages are fetched as needed. */
      list: (query?: ListDeletedUsersQuery, options?: CallOptions) =>
        transport.list<DeletedUser>(DELETED_USERS, query, options),
      get: (id: string, { include, ...options }: GetOptions = {}) =>
        transport.send<DeletedUser>(
          { method: 'GET', path: itemPath(DELETED_USERS, id), query: { include } },
          options,
        ),
      /** Restores a deleted user. Never retried: if the response is lost, the user may have been restored. */
      restore: (id: string, changes?: RestoreUser, options?: CallOptions) =>
        transport.send<User>(
          { method: 'POST', path: `${itemPath(DELETED_USERS, id)}/restore`, body: changes },
          options,
        ),
      /**
       * Restores up to 500 deleted users. Returns the outcome of each, in order. Done once even if the call is retried.
       */
      batchRestore: (ids: string[], { atomic, dryRun, ...options }: BatchRestoreOptions = {}) =>
        transport.send<BatchRestoreAnswer>(
          {
            method: 'POST',
            path: `${DELETED_USERS}/batch-restore`,
            body: { users: ids.map((id) => ({ id })), atomic, dryRun },
            idempotencyKey: options.idempotencyKey ?? newKey(),
          },
          options,
        ),
      /** Erases a deleted user for good. Also succeeds if the user is gone when the call is retried. */
      purge: (id: string, options?: CallOptions) =>
        transport.send<void>({ method: 'DELETE', path: itemPath(DELETED_USERS, id) }, options),
    },
    groups: {
      /**
       * Iterates over the groups by name. Pages are fetched as needed. `users.list({ group })` iterates over the
       * members of a group.
       */
      list: (query?: ListGroupsQuery, options?: CallOptions) => transport.list<Group>(GROUPS, query, options),
      get: (id: string, options?: CallOptions) =>
        transport.send<Group>({ method: 'GET', path: itemPath(GROUPS, id) }, options),
    },
    tokens: {
      /** Iterates over all tokens, newest first. Pages are fetched as needed. */
      list: (query?: ListTokensQuery, options?: CallOptions) => transport.list<Token>(TOKENS, query, options),
      /** Creates a token. Only this call returns its value. */
      create: (token: CreateToken, options?: CallOptions) =>
        transport.send<NewToken>({ method: 'POST', path: TOKENS, body: token }, options),
      get: (id: string, options?: CallOptions) =>
        transport.send<Token>({ method: 'GET', path: itemPath(TOKENS, id) }, options),
      /** Gets the token that this client uses. */
      current: (options?: CallOptions) =>
        transport.send<Token>({ method: 'GET', path: `${TOKENS}/current` }, options),
      /** Changes a token, effective immediately. Scopes can only be taken away. */
      update: (id: string, changes: UpdateToken, options?: CallOptions) =>
        transport.send<Token>({ method: 'PATCH', path: itemPath(TOKENS, id), body: changes }, options),
      /**
       * Replaces a token with a new one, whose value only this call returns. The old token works until the overlap, by
       * default a day, is over. Never retried: if the response is lost, the old token may already be ending.
       */
      rotate: (id: string, rotation: RotateToken = {}, options?: CallOptions) =>
        transport.send<NewToken>(
          { method: 'POST', path: `${itemPath(TOKENS, id)}/rotate`, body: rotation },
          options,
        ),
      /** Revokes a token, effective immediately. Revoking it twice succeeds. */
      revoke: (id: string, options?: CallOptions) =>
        transport.send<void>({ method: 'DELETE', path: itemPath(TOKENS, id) }, options),
    },
    events: {
      /**
       * Iterates over the events until there are no more, oldest first unless `order` is `desc`. Pages are fetched as
       * needed.
       */
      list: (query?: ListEventsQuery, options?: CallOptions) => transport.list<Event>(EVENTS, query, options),
      get: (id: string, options?: CallOptions) =>
        transport.send<Event>({ method: 'GET', path: itemPath(EVENTS, id) }, options),
      /** Iterates over the events in order, and then over new ones. Its `cursor` is the position to continue from. */
      follow: ({ cursor, intervalMs, signal, limit = 100, ...query }: FollowEvents = {}) =>
        new Feed({ cursor, intervalMs, signal }, (cursor) =>
          transport.send<Page<Event>>(
            { method: 'GET', path: EVENTS, query: { ...query, limit, cursor } },
            { signal },
          ),
        ),
    },
    webhooks: {
      /** Iterates over all webhooks, newest first. */
      list: (query?: ListWebhooksQuery, options?: CallOptions) =>
        transport.list<Webhook>(WEBHOOKS, query, options),
      /** Creates a webhook. Only this call returns its secret. */
      create: (webhook: CreateWebhook, options?: CallOptions) =>
        transport.send<NewWebhook>({ method: 'POST', path: WEBHOOKS, body: webhook }, options),
      get: (id: string, options?: CallOptions) =>
        transport.send<Webhook>({ method: 'GET', path: itemPath(WEBHOOKS, id) }, options),
      /** Changes only the given fields. */
      update: (id: string, changes: UpdateWebhook, options?: CallOptions) =>
        transport.send<Webhook>({ method: 'PATCH', path: itemPath(WEBHOOKS, id), body: changes }, options),
      delete: (id: string, options?: CallOptions) =>
        transport.send<void>({ method: 'DELETE', path: itemPath(WEBHOOKS, id) }, options),
      /**
       * Replaces the secret with a new one, which only this call returns. The old one also signs until the overlap, by
       * default a day, is over.
       */
      rotateSecret: (id: string, rotation: RotateSecret = {}, options?: CallOptions) =>
        transport.send<NewWebhook>(
          { method: 'POST', path: `${itemPath(WEBHOOKS, id)}/rotate-secret`, body: rotation },
          options,
        ),
      /** Sends an event `webhook.test`. */
      test: (id: string, options?: CallOptions) =>
        transport.send<Accepted>({ method: 'POST', path: `${itemPath(WEBHOOKS, id)}/test` }, options),
      /** Iterates over the deliveries of a webhook, newest first. */
      deliveries: (id: string, query?: ListDeliveriesQuery, options?: CallOptions) =>
        transport.list<Delivery>(`${itemPath(WEBHOOKS, id)}/deliveries`, query, options),
      /** Sends one event again, or all events of a period whose types match. */
      redeliver: (id: string, what: Redeliver, options?: CallOptions) =>
        transport.send<Accepted>(
          { method: 'POST', path: `${itemPath(WEBHOOKS, id)}/redeliver`, body: what },
          options,
        ),
    },
  };
}

/** The options of `users.get()` and `deletedUsers.get()`. */
export type GetOptions = CallOptions & GetUsersQuery;

/** The options of `users.batch()`. */
export type BatchOptions = CreateOptions & Omit<Batch, 'users'>;

/** The options of `users.batchDelete()`. */
export type BatchDeleteOptions = CreateOptions & Omit<BatchDelete, 'users'>;

/** The options of `deletedUsers.batchRestore()`. */
export type BatchRestoreOptions = CreateOptions & Omit<BatchRestore, 'users'>;

/** The options of `events.follow()`. */
export type FollowEvents = FeedOptions & Omit<ListEventsQuery, 'order' | 'cursor'>;

const EVENTS = 'api/v1/events';
const WEBHOOKS = 'api/v1/webhooks';
const USERS = 'api/v1/users';
const GROUPS = 'api/v1/groups';
const SETTINGS = 'api/v1/settings';
const STATISTICS = 'api/v1/statistics';
const DELETED_USERS = 'api/v1/deleted-users';
// The service also serves v1/tokens. A gateway that forwards only /api needs this path.
const TOKENS = 'api/v1/tokens';

const EXPORT_TIMEOUT_MS = 10 * 60_000;

// Browsers offer crypto.randomUUID() only to pages loaded by HTTPS.
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');
