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
  /** Primary email address, as it was given; unique within the organization. */
  email: string;
  /** Data of the application: it grants nothing here. */
  role: 'member' | 'admin' | 'viewer';
  /** Arbitrary key-value pairs for application use. */
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

export interface UserPage {
  data: User[];
  /** What the parameter `cursor` of the next page is; null on the last one. */
  nextCursor: string | null;
}

export interface CreateUser {
  /** Full display name. */
  name: string;
  /** Primary email address; unique within the organization. */
  email: string;
  role?: 'member' | 'admin' | 'viewer';
  /** Arbitrary key-value pairs for application use: 16 KB as compact JSON, and 8 levels of objects and arrays. */
  metadata?: Record<string, unknown>;
}

export interface UpdateUser {
  /** Full display name. */
  name?: string;
  /** Primary email address; unique within the organization. */
  email?: string;
  role?: 'member' | 'admin' | 'viewer';
  /** Arbitrary key-value pairs for application use: 16 KB as compact JSON, and 8 levels of objects and arrays. */
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
  /** By default `desc` for the two times and `asc` for the two texts. */
  order?: 'asc' | 'desc';
  /** Only the user with this address, compared without regard to case. */
  email?: string;
  role?: 'member' | 'admin' | 'viewer';
  /** How many to return, from 1 to 200. */
  limit?: number;
  /** Where to go on: the `nextCursor` of the page before. */
  cursor?: string;
}

export interface SearchUsersQuery {
  /** Words that must all be found in a name, email, id or string value of metadata. */
  q: string;
  /** Only users with this role. */
  role?: 'member' | 'admin' | 'viewer';
  /** How many to return, from 1 to 200. */
  limit?: number;
  /** Where to go on: the `nextCursor` of the page before. */
  cursor?: string;
}

export interface ListTokensQuery {
  state?: 'active' | 'expired' | 'revoked';
  /** How many to return, from 1 to 200. */
  limit?: number;
  /** Where to go on: the `nextCursor` of the page before. */
  cursor?: string;
}
