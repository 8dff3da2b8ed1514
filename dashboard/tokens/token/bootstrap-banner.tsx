import type { Token } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { Ago } from '../../ui/time.tsx';
import { useResource } from '../../ui/use-resource.ts';
import { findToken } from './find-token.ts';

/** Warns while the bootstrap token is valid, because its value was in a terminal or in deployment settings. */
export function BootstrapBanner({ onDismiss }: { onDismiss(): void }) {
  const { client, token: current } = useSession();
  // Fails silently: the banner is only a hint, and the page shows its own errors.
  const { value: token } = useResource('bootstrap', (signal) => findToken(client, isBootstrap, signal));
  if (!token) return null;

  return (
    <aside class="banner warning" aria-label="Bootstrap token">
      <p>
        {token.id === current.id ? (
          <>
            You are signed in with the bootstrap token (<code>{token.hint}</code>)
          </>
        ) : (
          <>
            The bootstrap token (<code>{token.hint}</code>) is still active
            {token.lastUsedAt && (
              <>
                , last used <Ago iso={token.lastUsedAt} />
              </>
            )}
          </>
        )}
        . Make everyone a token of their own, then revoke it.
      </p>
      <button type="button" class="plain small" onClick={onDismiss}>
        Dismiss
      </button>
    </aside>
  );
}

/** Recognizes the bootstrap token by its name, only scope and missing expiry. Its successor was in no terminal. */
export const isBootstrap = ({ name, scopes, expiresAt, rotatedFrom }: Token) =>
  name === 'Bootstrap' && scopes.join() === 'admin' && !expiresAt && !rotatedFrom;
