// Written by `npm run openapi` from openapi.json.

export interface Health {
  status: 'ok';
}

export interface Token {
  id: string;
  /** A label for people. */
  name: string;
  /** The first 8 and last 4 characters of the value. */
  hint: string;
  scopes: ('users:read' | 'users:write' | 'users:delete' | 'admin')[];
  /** A revoked token stays `revoked` after it expires. */
  state: 'active' | 'expired' | 'revoked';
  /** The duration given at creation. */
  expiresIn: string | null;
  expiresAt: string | null;
  createdAt: string;
  /** May lag by up to a minute. */
  lastUsedAt: string | null;
  revokedAt: string | null;
}

export interface User {
  id: string;
  /** Full display name. */
  name: string;
  /** Primary email address in its original letter case; unique within the organization. */
  email: string;
  /** For your application; the service does not interpret it. */
  role: 'member' | 'admin' | 'viewer';
  /** Arbitrary key-value pairs for application use. */
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

export interface UserPage {
  data: User[];
  /** The `cursor` parameter for the next page; null on the last page. */
  nextCursor: string | null;
}

export interface CreateUser {
  /** Full display name. */
  name: string;
  /** Primary email address; unique within the organization. */
  email: string;
  role?: 'member' | 'admin' | 'viewer';
  /** Arbitrary key-value pairs for application use: at most 16 KB as compact JSON and 8 levels of objects and arrays. */
  metadata?: Record<string, unknown>;
}

export interface UpdateUser {
  /** Full display name. */
  name?: string;
  /** Primary email address; unique within the organization. */
  email?: string;
  role?: 'member' | 'admin' | 'viewer';
  /** Arbitrary key-value pairs for application use: at most 16 KB as compact JSON and 8 levels of objects and arrays. */
  metadata?: Record<string, unknown>;
}

export interface TokenPage {
  data: Token[];
  /** The `cursor` of the next page; null on the last page. */
  nextCursor: string | null;
}

export interface CreateToken {
  /** A label for people. */
  name: string;
  scopes: ('users:read' | 'users:write' | 'users:delete' | 'admin')[];
  /** How long the token is valid, in days; by default it never expires. */
  expiresIn?: string;
}

export interface NewToken {
  id: string;
  /** A label for people. */
  name: string;
  /** The first 8 and last 4 characters of the value. */
  hint: string;
  scopes: ('users:read' | 'users:write' | 'users:delete' | 'admin')[];
  /** A revoked token stays `revoked` after it expires. */
  state: 'active' | 'expired' | 'revoked';
  /** The duration given at creation. */
  expiresIn: string | null;
  expiresAt: string | null;
  createdAt: string;
  /** May lag by up to a minute. */
  lastUsedAt: string | null;
  revokedAt: string | null;
  token: string;
}

/** The body of every error (RFC 9457). */
export interface Problem {
  title: string;
  status: number;
  code:
    | 'validation_failed'
    | 'malformed_json'
    | 'unauthorized'
    | 'insufficient_scope'
    | 'not_found'
    | 'method_not_allowed'
    | 'conflict'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'rate_limited'
    | 'unavailable'
    | 'internal_error'
    | 'bad_request'
    | 'request_timeout'
    | 'headers_too_large'
    | 'expectation_failed';
  /** A message for people. */
  detail: string;
  /** The X-Request-ID of the response. */
  requestId: string;
  /** All faults at once, on every 400 and 409. */
  errors?: {
    /** The name of the field, such as `email` or `metadata.plan`; `body` for the whole body. */
    field: string;
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
    /** A message for people that completes "<field> …". */
    message: string;
  }[];
}

export interface ListUsersQuery {
  sort?: 'name' | 'email' | 'createdAt' | 'updatedAt';
  /** The default is `desc` for `createdAt` and `updatedAt`, and `asc` for `name` and `email`. */
  order?: 'asc' | 'desc';
  /** Only the user with this email address; letter case is ignored. */
  email?: string;
  role?: 'member' | 'admin' | 'viewer';
  /** The maximum number of items to return, from 1 to 200. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
}

export interface SearchUsersQuery {
  /** At most 10 words to search for. Each must be at the start of a word or inside one, in the name, the email or a string
value of the metadata; a word of one or two letters at the start only. Or an id, or at least its first 12 characters. */
  q: string;
  /** Only users with this role. */
  role?: 'member' | 'admin' | 'viewer';
  /** The maximum number of items to return, from 1 to 200. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
}

export interface ListTokensQuery {
  state?: 'active' | 'expired' | 'revoked';
  /** The maximum number of items to return, from 1 to 200. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
}
