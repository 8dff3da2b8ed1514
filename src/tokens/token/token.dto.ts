import { applyDecorators } from '@nestjs/common';
import { SCOPES, type Scope } from '../../platform/http/scopes';
import { IsInt, Min } from 'class-validator';
import {
  fault,
  FlagText,
  Id,
  Nullable,
  OneOf,
  Optional,
  SomeOf,
  Text,
} from '../../platform/http/input/checks';
import { ValidatedByService } from '../../platform/http/input/input.pipe';
import { PageQuery } from '../../platform/pages/page';
import { Networks } from './allowed-networks';
import { ExpiresIn, Overlap } from './durations';

export const TOKEN_STATES = ['active', 'expired', 'revoked'] as const;
export type TokenState = (typeof TOKEN_STATES)[number];

const ScopeList = () => SomeOf(SCOPES, 'scope', `must be a list of ${SCOPES.join(', ')}`);

/** `TokensService` knows the upper bound. */
const RateLimit = () =>
  applyDecorators(
    IsInt(fault('invalid', 'must be a whole number')),
    Min(1, fault('out_of_range', 'must be at least 1')),
  );

@ValidatedByService()
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
   * How long the token is valid, in days: from `1d` to `3650d`. By default it never expires. A service with a maximum
   * (`TOKEN_MAX_DAYS`) requires a term within it.
   * @example '90d'
   */
  @Optional()
  @ExpiresIn()
  expiresIn?: string;

  /**
   * How many requests the token may make in a minute: from 1 to the limit of the service, which is the default, or for
   * the operator to 100,000.
   * @example 600
   */
  @Optional()
  @RateLimit()
  rateLimit?: number;

  /**
   * From where the token may be used: 1 to 20 networks or single addresses; null, the default, means from anywhere. A
   * request from elsewhere is a 403 `network_not_allowed`.
   * @example ["203.0.113.0/24", "2001:db8::/32"]
   */
  @Nullable()
  @Networks()
  allowedNetworks?: string[] | null;
}

/** What is absent stays as it is. */
export class UpdateTokenDto {
  /**
   * A label for people; surrounding white space is removed.
   * @example 'Nightly sync'
   */
  @Optional()
  @Text(1, 100)
  name?: string;

  /**
   * Some of the scopes that the token has. One that it lacks cannot be added.
   * @example ["users:read"]
   */
  @Optional()
  @ScopeList()
  scopes?: Scope[];

  /**
   * How many requests the token may make in a minute: from 1 to the limit of the service, or for the operator to
   * 100,000; null means the limit of the service. It holds in the window that is running, too.
   * @example 600
   */
  @Nullable()
  @RateLimit()
  rateLimit?: number | null;

  /**
   * From where the token may be used: 1 to 20 networks or single addresses; null means from anywhere.
   * @example ["203.0.113.0/24", "2001:db8::/32"]
   */
  @Nullable()
  @Networks()
  allowedNetworks?: string[] | null;
}

export class ExchangeTokenDto {
  /** Among those of the token; all of them by default. An `admin` may ask for any. */
  @Optional()
  @ScopeList()
  scopes?: Scope[];
}

@ValidatedByService()
export class RotateTokenDto {
  /**
   * How long the old token still works, in hours: from `0h`, which revokes it at once, to `168h`. It never works longer
   * than it would have.
   * @example '24h'
   */
  @Optional()
  @Overlap()
  overlap: string = '24h';

  /**
   * How long the new token is valid, in days: from `1d` to `3650d`. By default the full term of the old one, which must
   * be within the maximum of the service, if it has one (`TOKEN_MAX_DAYS`).
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

  /**
   * Whether to return only tokens of sign-ins to the dashboard and of exchanges (`true`), or only the others (`false`).
   * @example false
   */
  @Optional()
  @FlagText()
  session?: boolean;

  /**
   * Only tokens that the value of the token with this id was exchanged for.
   * @example 'tok_01kacpb2w5r8y3h6j9m4n7p0qx'
   */
  @Optional()
  @Id('tok')
  parent?: string;
}
