import { useEffect, useState } from 'preact/hooks';
import type { Client, Token } from '../../client/index.ts';
import { useSession } from '../session.ts';
import { Ago } from '../ui/time.tsx';

/** Says so while a token that a start has made is valid: its value has been in a terminal, or in a deployment's settings. */
export function BootstrapBanner() {
  const { client } = useSession();
  const [token, setToken] = useState<Token>();
  useEffect(() => {
    const controller = new AbortController();
    // What is only a hint may fail silently: the page itself says what is wrong.
    findBootstrapToken(client, controller.signal).then(setToken, () => {});
    return () => controller.abort();
  }, []);
  if (!token) return null;

  return (
    <aside class="banner warning" aria-label="Bootstrap token">
      <strong>{token.name}</strong> (<code>{token.hint}</code>) is still in use: the admin token that the
      first start of the service made
      {token.lastUsedAt && (
        <>
          , last used <Ago iso={token.lastUsedAt} />
        </>
      )}
      . Create admin tokens for the people who need them, then revoke it.
    </aside>
  );
}

/** A token made at bootstrap has this name, this scope and no end. */
async function findBootstrapToken(client: Client, signal: AbortSignal): Promise<Token | undefined> {
  for await (const token of client.tokens.list({ state: 'active', limit: 200 }, { signal })) {
    if (token.name === 'Bootstrap' && token.scopes.join() === 'admin' && !token.expiresAt) return token;
  }
  return undefined;
}
