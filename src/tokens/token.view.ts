import type { Scope } from '../http/scopes';
import type { TokenState } from './tokens.dto';

/** An API token, without its value. */
export class TokenView {
  /** @example 'tok_01kacpb2w5r8y3h6j9m4n7p0qx' */
  id: string;

  /**
   * A label for people.
   * @example 'Nightly sync'
   */
  name: string;

  /**
   * The first 8 and last 4 characters of the value.
   * @example 'umt_Xv4T…0000'
   */
  hint: string;

  scopes: Scope[];

  /** A revoked token stays `revoked` after it expires. */
  state: TokenState;

  /**
   * The duration given at creation.
   * @example '90d'
   */
  expiresIn: string | null;

  /** @example '2026-05-01T09:30:00.000Z' */
  expiresAt: Date | null;

  /** @example '2026-01-31T09:30:00.000Z' */
  createdAt: Date;

  /**
   * May lag by up to a minute.
   * @example null
   */
  lastUsedAt: Date | null;

  /** @example null */
  revokedAt: Date | null;
}

/** A new API token with its value, which is shown only once. */
export class NewTokenView extends TokenView {
  /** @example 'umt_Xv4TqL9nRb2WkYc7HsJd0PzGm5FaEu3M000000' */
  token: string;
}

/** A page of API tokens. */
export class TokenPageView {
  data: TokenView[];

  /** The `cursor` of the next page; null on the last page. */
  nextCursor: string | null;
}
