import { useState } from 'preact/hooks';
import { Link } from '../../router/link.tsx';
import { useSession } from '../../session/session.ts';
import { useStore } from '../../store.ts';
import { focusHeading } from '../../ui/dialog.tsx';
import { isSoon, Until } from '../../ui/time.tsx';
import { useResource } from '../../ui/use-resource.ts';
import { findToken } from './find-token.ts';
import { isStanding } from './origin.tsx';

/** Warns when the token of this session is about to expire. */
export function ExpiryBanner() {
  const { client, token, expiresAt } = useSession();
  const end = useStore(expiresAt);
  const [dismissed, setDismissed] = useState<string | null>(null);
  const isShown = isStanding(token) && end !== null && end !== dismissed && isSoon(end);
  // Fails silently: the banner is correct without it.
  const { value: replacement } = useResource(`${isShown} ${end} ${token.id}`, (signal) =>
    isShown
      ? findToken(client, ({ rotatedFrom }) => rotatedFrom === token.id, signal)
      : Promise.resolve(undefined),
  );
  if (!isShown) return null;

  return (
    <aside class="banner warning" aria-label="Expiry of your token">
      <p>
        The token you are signed in with (<code>{token.hint}</code>) expires <Until iso={end} />.{' '}
        {replacement ? (
          <>
            It has been replaced: sign in with <code>{replacement.hint}</code> from then on.
          </>
        ) : (
          <>
            <Link to="tokens">Rotate it</Link> under API tokens, or you won't be able to sign in with it.
          </>
        )}
      </p>
      <button
        type="button"
        class="plain small"
        onClick={() => {
          setDismissed(end);
          focusHeading();
        }}
      >
        Dismiss
      </button>
    </aside>
  );
}
