import type { Client, Token } from '../../../client/index.ts';
import { findToken } from './find-token.ts';

/** The longest time that a replaced token still works. */
export const LONGEST_OVERLAP_MS = 168 * 60 * 60_000;

/** Whether no other active token has the scope admin, apart from tokens that are about to end. */
export async function isLastAdmin(client: Client, { id, scopes }: Token): Promise<boolean> {
  if (!scopes.includes('admin')) return false;
  const soon = Date.now() + LONGEST_OVERLAP_MS;
  const other = await findToken(client, (token) => {
    const remains = token.expiresAt === null || Date.parse(token.expiresAt) > soon;
    return token.id !== id && token.scopes.includes('admin') && remains;
  });
  return other === undefined;
}
