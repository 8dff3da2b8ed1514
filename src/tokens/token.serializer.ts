import type { Token } from './token.entity';
import type { TokenView } from './token.view';
import type { TokenState } from './tokens.dto';

/** A token, as every method of the services returns it and every response shows it; its value is not stored. */
export type TokenRecord = TokenView;

export const serializeToken = (token: Omit<Token, 'organizationId' | 'hash' | 'windowId'>): TokenRecord => ({
  id: token.id,
  name: token.name,
  hint: token.hint,
  scopes: token.scopes,
  state: stateOf(token),
  expiresIn: token.expiresIn,
  expiresAt: token.expiresAt,
  createdAt: token.createdAt,
  lastUsedAt: token.lastUsedAt,
  revokedAt: token.revokedAt,
  rotatedFrom: token.rotatedFrom,
  rateLimit: token.rateLimit,
  createdBy: token.createdBy,
  parentId: token.parentId,
});

function stateOf({ revokedAt, expired }: Pick<Token, 'revokedAt' | 'expired'>): TokenState {
  if (revokedAt) return 'revoked';
  return expired ? 'expired' : 'active';
}
