import { useLayoutEffect, useState } from 'preact/hooks';
import type { NewToken } from '../../../client/index.ts';
import { baseUrl } from '../../router/address.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** Shows the value of a new token, which cannot be shown again. */
export function NewTokenDialog({ token, onClose }: { token: NewToken; onClose(): void }) {
  const [isCopied, setIsCopied] = useState(false);
  const [isLeaving, setIsLeaving] = useState(false);
  const leave = isCopied ? onClose : () => setIsLeaving(true);
  // Until the token is copied, the browser asks before the page is closed or reloaded. A layout effect, because the
  // cleanup of a passive effect would run only after the dialog is gone.
  useLayoutEffect(() => {
    if (isCopied) return;
    const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', preventUnload);
    return () => removeEventListener('beforeunload', preventUnload);
  }, [isCopied]);

  if (isLeaving) {
    return (
      <Dialog key="leaving" title="Have you saved the token?" onClose={() => setIsLeaving(false)}>
        <p>
          You won't see the token <strong>{token.name}</strong> again. If you lose it, create another one,
          then revoke this one.
        </p>
        <div class="buttons">
          <button type="button" autofocus onClick={() => setIsLeaving(false)}>
            Back
          </button>
          <button type="button" class="primary" onClick={onClose}>
            I have saved it
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      key="value"
      title={`Token “${token.name}” ${token.rotatedFrom ? 'rotated' : 'created'}`}
      onClose={leave}
    >
      <p class="banner warning">Copy the token now. You won't be able to see it again.</p>
      <CopyField label="Token" value={token.token} onCopied={() => setIsCopied(true)} />
      <CopyField label="Try it" value={curlOf(token)} rows={3} onCopied={() => setIsCopied(true)} />
      <div class="buttons">
        <button type="button" class="primary" onClick={leave}>
          Done
        </button>
      </div>
    </Dialog>
  );
}

/** A command that the token's scopes allow. */
function curlOf({ scopes, token }: NewToken): string {
  const canReadUsers = scopes.includes('users:read') || scopes.includes('admin');
  const path = canReadUsers ? 'users' : 'tokens/current';
  return `curl '${baseUrl.replaceAll("'", '%27')}/api/v1/${path}' -H 'Authorization: Bearer ${token}'`;
}
