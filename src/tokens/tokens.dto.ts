import { SCOPES, type Scope } from '../http/scopes';
import { Check, OneOf, Optional, Text } from '../http/input/checks';
import { PageQuery } from '../pages/page';
import { ExpiresIn } from './expires-in';
import { Overlap } from './overlap';

export const TOKEN_STATES = ['active', 'expired', 'revoked'] as const;
export type TokenState = (typeof TOKEN_STATES)[number];

export class CreateTokenDto {
  /**
   * A label for people; surrounding white space is removed.
   * @example 'Nightly sync'
   */
  @Text(1, 100)
  name: string;

  /**
   * What the token may do, each scope once. `admin` grants full access; no other scope implies another.
   * @example ["users:read", "users:write"]
   */
  @Check(
    (value) => {
      if (value === undefined) return [{ code: 'required', message: 'is required' }];
      const isScope = (scope: unknown) => SCOPES.includes(scope as Scope);
      if (!Array.isArray(value) || !value.every(isScope)) {
        return [{ code: 'invalid', message: `must be a list of ${SCOPES.join(', ')}` }];
      }
      if (value.length === 0) return [{ code: 'too_short', message: 'must name at least one scope' }];
      if (new Set(value).size < value.length)
        return [{ code: 'invalid', message: 'must not name a scope twice' }];
      return [];
    },
    { type: 'array', items: { type: 'string', enum: SCOPES }, minItems: 1, uniqueItems: true },
  )
  scopes: Scope[];

  /**
   * How long the token is valid, in days: from `1d` to `3650d`. By default it never expires.
   * @example '90d'
   */
  @Optional()
  @ExpiresIn()
  expiresIn?: string;
}

export class RotateTokenDto {
  /**
   * How long the old token still works, in hours: from `0h`, which revokes it at once, to `168h`. It never works longer than it
   * would have.
   * @example '24h'
   */
  @Optional()
  @Overlap()
  overlap: string = '24h';

  /**
   * How long the new token is valid, in days: from `1d` to `3650d`. By default as long as the old one was when it was new.
   * @example '90d'
   */
  @Optional()
  @ExpiresIn()
  expiresIn?: string;
}

export class ListTokensDto extends PageQuery {
  /**
   * Only tokens in this state.
   * @example 'active'
   */
  @Optional()
  @OneOf(TOKEN_STATES)
  state?: TokenState;
}
