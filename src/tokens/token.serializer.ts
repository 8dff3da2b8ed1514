import type { Token } from './token.entity';
import type { TokenView } from './token.view';
import type { TokenState } from './tokens.dto';

/** A token as every response shows it. Its value is not stored and cannot be shown. */
export const serializeToken = (token: Token): TokenView => ({
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
});

function stateOf({ revokedAt, expired }: Token): TokenState {
  if (revokedAt) return 'revoked';
  return expired ? 'expired' : 'active';
}
