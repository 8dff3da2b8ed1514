import type { Client, Token } from '../../../client/index.ts';

/** The longest time that a replaced token still works. */
const LONGEST_OVERLAP_MS = 168 * 60 * 60_000;

/** Whether no other active token has the scope admin, apart from tokens that are about to end. */
export async function isLastAdmin(client: Client, token: Token): Promise<boolean> {
  if (!token.scopes.includes('admin')) return false;
  const tokens = client.tokens.list({ state: 'active', session: false, limit: 200 });
  const soon = Date.now() + LONGEST_OVERLAP_MS;
  for await (const { id, scopes, expiresAt } of tokens) {
    const remains = expiresAt === null || Date.parse(expiresAt) > soon;
    if (id !== token.id && scopes.includes('admin') && remains) return false;
  }
  return true;
}
