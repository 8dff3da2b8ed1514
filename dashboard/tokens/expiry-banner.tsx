import { useState } from 'preact/hooks';
import { useSession } from '../session.ts';
import { useStore } from '../store.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { isSoon, Until } from '../ui/time.tsx';

/** Warns when the token of this session is about to expire. */
export function ExpiryBanner() {
  const { token, expiresAt } = useSession();
  const end = useStore(expiresAt);
  const [dismissed, setDismissed] = useState<string | null>(null);
  if (end === null || end === dismissed || !isSoon(end)) return null;

  return (
    <aside class="banner warning" aria-label="Expiry of your token">
      <p>
        The token you are signed in with (<code>{token.hint}</code>) expires <Until iso={end} />.{' '}
        <a href="#tokens">Rotate it</a> under API tokens, or you won't be able to sign in with it.
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
