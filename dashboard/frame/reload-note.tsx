import { useSession } from '../session/session.ts';
import { useStore } from '../store.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { createKept, oneOf } from '../ui/kept.ts';

const note = createKept('reload-note', 'unread', oneOf(['unread', 'read']));

/** Says once, to people who signed in with a token, that a reload ends the session. An issuer signs in again. */
export function ReloadNote() {
  const { token } = useSession();
  const isRead = useStore(note) === 'read';
  if (token.createdBy !== null || isRead) return null;
  const dismiss = () => {
    note.choose('read');
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
