import { allows, type Scope, SCOPES } from '../http/scopes';
import { oauthFailure } from './oauth-failure';

/** The wanted scopes, all of which must be granted; those that are granted if the request names none. */
export function scopesOf(wanted: string | undefined, granted: readonly Scope[]): Scope[] {
  const names = [...new Set((wanted ?? '').split(' ').filter(Boolean))];
  if (names.length === 0) return [...granted];
  const scopes = names.flatMap((name) => SCOPES.find((scope) => scope === name) ?? []);
  if (scopes.length === names.length && allows(granted, scopes)) return scopes;
  throw oauthFailure(
    'invalid_scope',
    `The scope must name some of ${granted.includes('admin') ? SCOPES.join(', ') : granted.join(', ')}.`,
  );
}
