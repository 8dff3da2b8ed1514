import type { Client, Token } from '../../../client/index.ts';

/** Finds an active token that belongs to neither a session nor an exchange. */
export async function findToken(
  client: Client,
  isWanted: (token: Token) => boolean,
  signal?: AbortSignal,
): Promise<Token | undefined> {
  const tokens = client.tokens.list({ state: 'active', session: false, limit: 200 }, { signal });
  for await (const token of tokens) if (isWanted(token)) return token;
  return undefined;
}
