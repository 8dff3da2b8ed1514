import type { Client, Token } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { useResource } from '../../ui/use-resource.ts';

/** The number of active tokens that a token has issued. It is 0 for tokens that issue none. */
export function useChildCount(token: Token) {
  const { client } = useSession();
  return useResource(token.id, async (signal) =>
    token.parentId === null && token.state === 'active' ? countChildren(client, token.id, signal) : 0,
  );
}

/** Reads page by page, five at most: no more than 1,000 live at once. */
async function countChildren(client: Client, parent: string, signal: AbortSignal): Promise<number> {
  let count = 0;
  for await (const _ of client.tokens.list({ parent, state: 'active', limit: 200 }, { signal })) count++;
  return count;
}
