import { useLayoutEffect, useState } from 'preact/hooks';
import type { NewToken } from '../../client/index.ts';
import { baseUrl } from '../session.ts';
import { CopyField } from '../ui/copy-field.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** The value, this one time. */
export function NewTokenDialog({ token, onClose }: { token: NewToken; onClose(): void }) {
  const [isLeaving, setIsLeaving] = useState(false);
  // The browser asks the same of somebody who closes or reloads the page, for as long as the dialog is there:
  // a passive effect would be undone a paint later.
  useLayoutEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);

  if (isLeaving) {
    return (
      <Dialog key="leaving" title="Have you stored the token?" onClose={() => setIsLeaving(false)}>
        <p>
          The value of <strong>{token.name}</strong> cannot be shown again. If it is lost, revoke the token
          and create another one.
        </p>
        <div class="buttons">
          <button type="button" autofocus onClick={() => setIsLeaving(false)}>
            No, show it again
          </button>
          <button type="button" class="primary" onClick={onClose}>
            Yes, it is stored
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog key="value" title={`Token “${token.name}” is ready`} onClose={() => setIsLeaving(true)}>
      <p class="banner warning">
        Copy the value now. It is shown this once, and nobody can ask for it again.
      </p>
      <CopyField label="Value" value={token.token} />
      <CopyField label="Try it" value={curlOf(token)} rows={3} />
      <div class="buttons">
        <button type="button" class="primary" onClick={() => setIsLeaving(true)}>
          Done
        </button>
      </div>
    </Dialog>
  );
}

/** A command that works with this token, whatever its scopes. */
function curlOf({ scopes, token }: NewToken): string {
  const reads = scopes.includes('users:read') || scopes.includes('admin');
  const path = reads ? 'users' : 'tokens/current';
  return `curl '${baseUrl.replaceAll("'", '%27')}/api/v1/${path}' -H 'Authorization: Bearer ${token}'`;
}
