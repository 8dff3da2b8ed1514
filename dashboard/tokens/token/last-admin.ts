import type { Client, Token } from '../../../client/index.ts';

/** The longest time that a replaced token still works. */
const LONGEST_OVERLAP_MS = 168 * 60 * 60_000;

/** Whether no other active token has the scope admin, apart from tokens that are about to end. */
export async function isLastAdmin(client: Client, token: Token): Promise<boolean> {
  if (!token.scopes.includes('admin')) return false;
  const soon = Date.now() + LONGEST_OVERLAP_MS;
  for await (const { id, scopes, expiresAt } of client.tokens.list({ state: 'active', limit: 200 })) {
    const remains = expiresAt === null || Date.parse(expiresAt) > soon;
    if (id !== token.id && scopes.includes('admin') && remains) return false;
  }
  return true;
}
