import { useEffect, useRef, useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { focusHeading } from '../../ui/dialog.tsx';

interface Props {
  user: User;
  onRestored(user: User): void;
  onFailed(error: unknown): void;
  /** Called when it is too late to undo the deletion here. */
  onExpired(): void;
}

const SHOWN_MS = 10_000;

/** A button that restores a user who has just been deleted. Later, the section of deleted users can restore it. */
export function UndoDelete({ user, onRestored, onFailed, onExpired }: Props) {
  const { client } = useSession();
  const [busy, setBusy] = useState(false);
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (busy) return;
    const timer = setTimeout(() => {
      if (document.activeElement === ref.current) focusHeading();
      onExpired();
    }, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [busy]);

  return (
    <button
      type="button"
      class="small"
      ref={ref}
      aria-label={`Undo: restore ${user.name}`}
      aria-disabled={busy}
      onClick={() => {
        if (busy) return;
        setBusy(true);
        client.deletedUsers.restore(user.id).then(onRestored, onFailed);
      }}
    >
      Undo
    </button>
  );
}
