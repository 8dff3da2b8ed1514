import { type Page, Pages } from './pages';
import { type CallOptions, type ClientOptions, Transport } from './transport';
import type {
  CreateToken,
  CreateUser,
  ListTokensQuery,
  ListUsersQuery,
  NewToken,
  SearchUsersQuery,
  Token,
  UpdateUser,
  User,
} from './types';

export { ApiError, type FieldFault } from './api-error';
export type { Page, Pages } from './pages';
export type { CallOptions, ClientOptions } from './transport';
export type * from './types';

export type Client = ReturnType<typeof createClient>;

/** A client of the service, for Node and for browsers. Every failure is an `ApiError`, but for an abort of the caller's own. */
export function createClient(options: ClientOptions) {
  const transport = new Transport(options);
  const walk = <Item>(path: string, query: object | undefined, options?: CallOptions) =>
    new Pages((cursor) =>
      transport.send<Page<Item>>(
        { method: 'GET', path, query: cursor === undefined ? query : { ...query, cursor } },
        options,
      ),
    );

  return {
    users: {
      /** All users, page by page as they are walked. */
      list: (query?: ListUsersQuery, options?: CallOptions) => walk<User>(USERS, query, options),
      /** All users that a text finds, best match first. */
      search: (query: SearchUsersQuery, options?: CallOptions) =>
        walk<User>(`${USERS}/search`, query, options),
      create: (user: CreateUser, options?: CallOptions) =>
        transport.send<User>({ method: 'POST', path: USERS, body: user }, options),
      get: (id: string, options?: CallOptions) =>
        transport.send<User>({ method: 'GET', path: below(USERS, id) }, options),
      /** Changes the fields that are given, and no others. */
      update: (id: string, changes: UpdateUser, options?: CallOptions) =>
        transport.send<User>({ method: 'PATCH', path: below(USERS, id), body: changes }, options),
      delete: (id: string, options?: CallOptions) =>
        transport.send<void>({ method: 'DELETE', path: below(USERS, id) }, options),
    },
    tokens: {
      /** All tokens, newest first, page by page as they are walked. */
      list: (query?: ListTokensQuery, options?: CallOptions) => walk<Token>(TOKENS, query, options),
      /** The new token with its value, which nobody can ask for again. */
      create: (token: CreateToken, options?: CallOptions) =>
        transport.send<NewToken>({ method: 'POST', path: TOKENS, body: token }, options),
      get: (id: string, options?: CallOptions) =>
        transport.send<Token>({ method: 'GET', path: below(TOKENS, id) }, options),
      /** The token that the client uses. */
      current: (options?: CallOptions) =>
        transport.send<Token>({ method: 'GET', path: `${TOKENS}/current` }, options),
      /** Makes a token invalid from the next request on. */
      revoke: (id: string, options?: CallOptions) =>
        transport.send<void>({ method: 'DELETE', path: below(TOKENS, id) }, options),
    },
  };
}

const USERS = '/api/v1/users';
// A gateway may have one rule, for /api.
const TOKENS = '/api/v1/tokens';

function below(path: string, id: string): string {
  // A URL would take dots for a place in the tree, and nothing for the list.
  if (/^\.{0,2}$/.test(id)) throw new TypeError('This is no id.');
  return `${path}/${encodeURIComponent(id)}`;
}
