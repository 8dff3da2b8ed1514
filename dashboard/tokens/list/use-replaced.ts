import type { Token } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { useResource } from '../../ui/use-resource.ts';
import { LONGEST_OVERLAP_MS } from '../token/last-admin.ts';

/** A token in the list, after the one that replaces it if both are active. */
export interface Listed extends Token {
  isReplaced: boolean;
}

/** The tokens of a page in order, each with the token that it replaces below it while that one still works. */
export function useReplaced(tokens: Token[] | undefined): Listed[] | undefined {
  const { client } = useSession();
  const ids = (tokens ?? [])
    .filter((token) => Date.now() - Date.parse(token.createdAt) < LONGEST_OVERLAP_MS)
    .map(({ rotatedFrom }) => rotatedFrom)
    .filter((id) => id !== null && !tokens!.some((token) => token.id === id)) as string[];
  // Fails silently: the list is complete without them.
  const { value: elsewhere = [] } = useResource(ids.join(), (signal) =>
    Promise.all(ids.map((id) => client.tokens.get(id, { signal }))),
  );
  return tokens && inPairs(tokens, elsewhere);
}

function inPairs(tokens: Token[], elsewhere: Token[]): Listed[] {
  const byId = new Map([...elsewhere, ...tokens].map((token) => [token.id, token]));
  const listed = new Map<string, Listed>();
  const add = (token: Token, isReplaced: boolean) => {
    if (listed.has(token.id)) return;
    listed.set(token.id, { ...token, isReplaced });
    const old = token.rotatedFrom && byId.get(token.rotatedFrom);
    if (old && old.state === 'active') add(old, true);
  };
  for (const token of tokens) add(token, false);
  return [...listed.values()];
}
