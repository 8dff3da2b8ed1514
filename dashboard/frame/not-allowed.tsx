import { useLayoutEffect } from 'preact/hooks';
import { useSession } from '../session/session.ts';
import { focusHeading } from '../ui/dialog.tsx';

/** Replaces a page that the scopes of the session do not allow. */
export function NotAllowed() {
  const { token } = useSession();
  useLayoutEffect(focusHeading, []);

  return (
    <>
      <div class="heading">
        <h1 tabIndex={-1}>Not for you</h1>
      </div>
      <p class="quiet lead">
        This page needs a scope that you do not have. You have {token.scopes.join(', ')}.
      </p>
    </>
  );
}
