import { useState } from 'preact/hooks';
import { useSession } from '../session/session.ts';
import { focusHeading } from '../ui/dialog.tsx';

const KEY = 'reload-note';

function isRead(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false; // the browser may forbid storage
  }
}

/** Says once, to people who signed in with a token, that a reload ends the session. An issuer signs in again. */
export function ReloadNote() {
  const { token } = useSession();
  const [isShown, setIsShown] = useState(() => token.createdBy === null && !isRead());
  if (!isShown) return null;
  const dismiss = () => {
    try {
      localStorage.setItem(KEY, 'read');
    } catch {
      // it is shown again after the next sign-in
    }
    setIsShown(false);
    focusHeading();
  };
  return (
    <div role="note" class="reload-note">
      <p class="small">Reloading this page signs you out. The token is kept in memory only.</p>
      <button type="button" class="plain small" onClick={dismiss}>
        Got it
      </button>
    </div>
  );
}
