import type { Scope } from '../../platform/http/scopes';
import { PageView } from '../../platform/pages/page';
import type { TokenState } from './token.dto';

/** The person whose sign-in to the dashboard created a token, or the workload whose signed assertion did. */
export class TokenCreatorView {
  /**
   * The issuer of the identity.
   * @example 'https://login.example.com'
   */
  issuer: string;

  /**
   * The id of the person or workload at that issuer.
   * @example '00u1a2b3c4'
   */
  subject: string;

  /**
   * The name of the person; of a workload, its id.
   * @example 'Ada Lovelace'
   */
  name: string;
}

/** An API token, without its value. */
export class TokenView {
  /**
   * Assigned by the service: `tok_` and 26 letters and digits.
   * @example 'tok_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
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

  /**
   * What the token may do. `admin` grants full access; no other scope implies another.
   * @example ["users:read", "users:write"]
   */
  scopes: Scope[];

  /**
   * A revoked token stays `revoked` after it expires.
   * @example 'active'
   */
  state: TokenState;

  /**
   * The duration given at creation; null if the token never expires.
   * @example '90d'
   */
  expiresIn: string | null;

  /**
   * When the token stops working; null if it never expires.
   * @example '2026-05-01T09:30:00.000Z'
   */
  expiresAt: Date | null;

  /**
   * When the token was created.
   * @example '2026-01-31T09:30:00.000Z'
   */
  createdAt: Date;

  /**
   * When the token was last used, which may lag by a minute; null if it has not been used.
   * @example null
   */
  lastUsedAt: Date | null;

  /**
   * When the token was revoked; null if it has not been.
   * @example null
   */
  revokedAt: Date | null;

  /**
   * The id of the token that this one replaces; null if it replaces none.
   * @example null
   */
  rotatedFrom: string | null;

  /**
   * How many requests the token may make in a minute; null if the limit of the service applies.
   * @example null
   */
  rateLimit: number | null;

  /**
   * The networks from which the token may be used; null if from anywhere.
   * @example ["203.0.113.0/24", "2001:db8::/32"]
   */
  allowedNetworks: string[] | null;

  /**
   * The person whose sign-in to the dashboard created the token, or the workload whose signed assertion did; null if it
   * was created in another way.
   * @example null
   */
  createdBy: TokenCreatorView | null;

  /**
   * The id of the token whose value was exchanged for this one, which ends with it; null if none was.
   * @example null
   */
  parentId: string | null;
}

/** A new API token with its value, which is shown only once. */
export class NewTokenView extends TokenView {
  /**
   * The value, which is shown only here.
   * @example 'umt_Xv4TqL9nRb2WkYc7HsJd0PzGm5FaEu3M000000'
   */
  token: string;
}

/** A page of API tokens. */
export class TokenPageView extends PageView {
  /** The tokens of this page. */
  data: TokenView[];
}
