import type { Token } from './token.entity';
import type { TokenView } from './token.view';
import type { TokenState } from './token.dto';

export const serializeToken = (
  token: Omit<Token, 'organizationId' | 'hash' | 'windowId' | 'warnedDays'>,
): TokenView => ({
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
  allowedNetworks: token.allowedNetworks,
  createdBy: token.createdBy,
  parentId: token.parentId,
});

function stateOf({ revokedAt, expired }: Pick<Token, 'revokedAt' | 'expired'>): TokenState {
  if (revokedAt) return 'revoked';
  return expired ? 'expired' : 'active';
}
