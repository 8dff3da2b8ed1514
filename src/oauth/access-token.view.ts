import type { NewToken } from '../tokens/tokens.service';

/** A new token, as RFC 6749 has it. */
export class AccessTokenView {
  /**
   * The value of the token, which is shown only here.
   * @example 'umt_Xv4TqL9nRb2WkYc7HsJd0PzGm5FaEu3M000000'
   */
  access_token: string;

  /**
   * How to send it: `Authorization: Bearer <token>`.
   * @example 'Bearer'
   */
  token_type: 'Bearer';

  /**
   * How many seconds the token lives: at most an hour.
   * @example 3600
   */
  expires_in: number;

  /**
   * The scopes of the token, separated by spaces.
   * @example 'users:read users:write'
   */
  scope: string;
}

export const serializeAccessToken = ({ token, value }: NewToken): AccessTokenView => ({
  access_token: value,
  token_type: 'Bearer',
  expires_in: Math.floor((token.expiresAt!.getTime() - token.createdAt.getTime()) / 1000),
  scope: token.scopes.join(' '),
});
