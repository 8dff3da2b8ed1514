import { Feed, type FeedOptions } from './feed.ts';
import { type Page, Pages } from './pages.ts';
import {
  type CallOptions,
  type ClientOptions,
  type CreateOptions,
  Transport,
  type WriteOptions,
} from './transport.ts';
import type {
  Batch,
  BatchAnswer,
  BatchUser,
  CreateToken,
  CreateUser,
  DeletedUser,
  Event,
  ListDeletedUsersQuery,
  ListEventsQuery,
  ListTokensQuery,
  ListUsersQuery,
  NewToken,
  RestoreUser,
  RotateToken,
  SearchUsersQuery,
  Token,
  UpdateUser,
  User,
} from './types.ts';

export { ApiError, type FieldFault } from './api-error.ts';
export type { Feed, FeedOptions } from './feed.ts';
export type { Page, Pages } from './pages.ts';
export type { CallOptions, ClientOptions, CreateOptions, WriteOptions } from './transport.ts';
export type * from './types.ts';

export type Client = ReturnType<typeof createClient>;

/**
 * Creates a client for Node.js and browsers. Calls reject with an `ApiError`, or with the abort reason if the caller
 * aborts them. What can never succeed, such as a `baseUrl` without a scheme, is a `TypeError`.
 */
export function createClient(options: ClientOptions) {
  const transport = new Transport(options);
  const pages = <Item>(path: string, query: object | undefined, options?: CallOptions) =>
    new Pages((cursor) =>
      transport.send<Page<Item>>(
        { method: 'GET', path, query: cursor === undefined ? query : { ...query, cursor } },
        options,
      ),
    );

  return {
    users: {
      /** Iterates over all users. Pages are fetched as needed. */
      list: (query?: ListUsersQuery, options?: CallOptions) => pages<User>(USERS, query, options),
      /** Iterates over the users that match the text, best match first. */
      search: (query: SearchUsersQuery, options?: CallOptions) =>
        pages<User>(`${USERS}/search`, query, options),
      /** Creates a user, once even if the call is retried. */
      create: (user: CreateUser, options?: CreateOptions) => {
        const idempotencyKey = options?.idempotencyKey ?? newKey();
        return transport.send<User>({ method: 'POST', path: USERS, body: user, idempotencyKey }, options);
      },
      /**
       * Creates up to 500 users, or with `upsert` changes those that exist. Says what became of each, in their order. Written
       * once even if the call is retried.
       */
      batch: (users: BatchUser[], { mode, atomic, dryRun, ...options }: BatchOptions = {}) =>
        transport.send<BatchAnswer>(
          {
            method: 'POST',
            path: `${USERS}/batch`,
            body: { users, mode, atomic, dryRun },
            idempotencyKey: options.idempotencyKey ?? newKey(),
          },
          options,
        ),
      get: (id: string, options?: CallOptions) =>
        transport.send<User>({ method: 'GET', path: itemPath(USERS, id) }, options),
      /** Changes only the given fields. Never retried: if the response is lost, the change may have been made. */
      update: (id: string, changes: UpdateUser, options?: WriteOptions) =>
        transport.send<User>(
          { method: 'PATCH', path: itemPath(USERS, id), body: changes, ifMatch: options?.ifMatch },
          options,
        ),
      /** Deletes a user. Succeeds, too, if the user is gone when the call is retried, whoever deleted it. */
      delete: (id: string, options?: WriteOptions) =>
        transport.send<void>(
          { method: 'DELETE', path: itemPath(USERS, id), ifMatch: options?.ifMatch },
          options,
        ),
    },
    deletedUsers: {
      /** Iterates over the deleted users, the latest first. Pages are fetched as needed. */
      list: (query?: ListDeletedUsersQuery, options?: CallOptions) =>
        pages<DeletedUser>(DELETED_USERS, query, options),
      get: (id: string, options?: CallOptions) =>
        transport.send<DeletedUser>({ method: 'GET', path: itemPath(DELETED_USERS, id) }, options),
      /** Makes it a user again. Never retried: if the response is lost, the user may be back. */
      restore: (id: string, changes?: RestoreUser, options?: CallOptions) =>
        transport.send<User>(
          { method: 'POST', path: `${itemPath(DELETED_USERS, id)}/restore`, body: changes },
          options,
        ),
      /** Erases it for good. Succeeds, too, if it is gone when the call is retried. */
      purge: (id: string, options?: CallOptions) =>
        transport.send<void>({ method: 'DELETE', path: itemPath(DELETED_USERS, id) }, options),
    },
    tokens: {
      /** Iterates over all tokens, newest first. Pages are fetched as needed. */
      list: (query?: ListTokensQuery, options?: CallOptions) => pages<Token>(TOKENS, query, options),
      /** Creates a token. Only this call returns its value. */
      create: (token: CreateToken, options?: CallOptions) =>
        transport.send<NewToken>({ method: 'POST', path: TOKENS, body: token }, options),
      get: (id: string, options?: CallOptions) =>
        transport.send<Token>({ method: 'GET', path: itemPath(TOKENS, id) }, options),
      /** Gets the token that this client uses. */
      current: (options?: CallOptions) =>
        transport.send<Token>({ method: 'GET', path: `${TOKENS}/current` }, options),
      /**
       * Replaces a token by a new one, whose value only this call returns. The old one keeps working for the overlap, a day by default.
       * Never retried: if the response is lost, the old one may already have an end.
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
      /** Iterates over the events until there are no more, oldest first unless `order` is `desc`. Pages are fetched as needed. */
      list: (query?: ListEventsQuery, options?: CallOptions) => pages<Event>(EVENTS, query, options),
      get: (id: string, options?: CallOptions) =>
        transport.send<Event>({ method: 'GET', path: itemPath(EVENTS, id) }, options),
      /** Iterates over the events in their order, and then over those to come. Its `cursor` says where to go on. */
      follow: ({ cursor, intervalMs, signal, limit = 100, ...query }: FollowEvents = {}) =>
        new Feed({ cursor, intervalMs, signal }, (cursor) =>
          transport.send<Page<Event>>(
            { method: 'GET', path: EVENTS, query: { ...query, limit, cursor } },
            { signal },
          ),
        ),
    },
  };
}

/** What `users.batch()` takes. */
export type BatchOptions = CreateOptions & Omit<Batch, 'users'>;

/** What `events.follow()` takes. */
export type FollowEvents = FeedOptions & Omit<ListEventsQuery, 'order' | 'cursor'>;

const EVENTS = 'api/v1/events';
const USERS = 'api/v1/users';
const DELETED_USERS = 'api/v1/deleted-users';
// The service also serves v1/tokens. A gateway that forwards only /api needs this path.
const TOKENS = 'api/v1/tokens';

// Browsers offer crypto.randomUUID() only to pages loaded by HTTPS.
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');

function itemPath(collection: string, id: string): string {
  // URLs resolve "." and ".." to another path, and an empty id would address the collection.
  if (/^\.{0,2}$/.test(id))
    throw new TypeError(`Invalid id ${JSON.stringify(id)}: it must not be empty, "." or "..".`);
  return `${collection}/${encodeURIComponent(id)}`;
}
