import { applyDecorators } from '@nestjs/common';
import { SCOPES, type Scope } from '../http/scopes';
import { ArrayMinSize, IsArray, IsIn } from 'class-validator';
import { fault, OneOf, Optional, Satisfies, Text } from '../http/input/checks';
import { PageQuery } from '../pages/page';
import { ExpiresIn } from './expires-in';
import { Overlap } from './overlap';

export const TOKEN_STATES = ['active', 'expired', 'revoked'] as const;
export type TokenState = (typeof TOKEN_STATES)[number];

const NO_SCOPES = fault('invalid', `must be a list of ${SCOPES.join(', ')}`);

const ScopeList = () =>
  applyDecorators(
    IsArray(NO_SCOPES),
    IsIn(SCOPES, { ...NO_SCOPES, each: true }),
    ArrayMinSize(1, fault('too_short', 'must name at least one scope')),
    // ArrayUnique of class-validator compares each element with each.
    Satisfies(
      'arrayUnique',
      [],
      (value) => Array.isArray(value) && new Set(value).size === value.length,
      fault('invalid', 'must not name a scope twice'),
    ),
  );

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
  @ScopeList()
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
