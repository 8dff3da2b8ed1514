import type { Type } from '@nestjs/common';
import type { Request, Response } from 'express';
import { allows, type Scope, SCOPES } from '../platform/http/scopes';
import type { NewToken } from '../tokens/tokens.service';
import { oauthFailure } from './oauth-failure';

/** A way to get a token (RFC 6749, section 4). */
export interface TokenGrant {
  /** Throws an `oauthFailure()` if the caller gets none. */
  exchange(request: Request, response: Response, form: TokenForm): Promise<NewToken>;
}

/** The provider of a grant. */
export interface TokenGrantType extends Type<TokenGrant> {
  /** The `grant_type` that selects it. */
  readonly type: string;
  /** The fields that it reads, beside `grant_type` and `scope`. */
  readonly fields: readonly string[];
}

/** The fields of a token request that are read. An empty field counts as absent. */
export type TokenForm = Partial<Record<string, string>>;

/** The wanted scopes, all of which must be granted; undefined if the request names none. */
export function scopesOf(wanted: string | undefined, granted: readonly Scope[]): Scope[] | undefined {
  const names = [...new Set((wanted ?? '').split(' ').filter(Boolean))];
  if (names.length === 0) return undefined;
  const scopes = names.flatMap((name) => SCOPES.find((scope) => scope === name) ?? []);
  if (scopes.length === names.length && allows(granted, scopes)) return scopes;
  throw oauthFailure(
    'invalid_scope',
    `The scope must name some of ${granted.includes('admin') ? SCOPES.join(', ') : granted.join(', ')}.`,
  );
}
