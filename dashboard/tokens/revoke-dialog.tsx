import type { Token } from '../../client/index.ts';
import { useSession } from '../session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { Ago } from '../ui/time.tsx';
import { useSubmit } from '../ui/use-submit.ts';

interface Props {
  token: Token;
  /** One is signed in with it. */
  isCurrent: boolean;
  onClose(): void;
  onRevoked(): void;
}

export function RevokeDialog({ token, isCurrent, onClose, onRevoked }: Props) {
  const { client } = useSession();
  const form = useSubmit([], async () => {
    await client.tokens.revoke(token.id);
    onRevoked();
  });

  return (
    <Dialog title={`Revoke “${token.name}”?`} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.submit}>
        <p>
          Whatever uses the token <code>{token.hint}</code> is refused from its next request on. This cannot
          be undone.
        </p>
        <p>
          {token.lastUsedAt ? (
            <>
              It was last used <Ago iso={token.lastUsedAt} />.
            </>
          ) : (
            'It has not been used yet, as far as is known.'
          )}
        </p>
        {isCurrent && (
          <p class="banner warning">You are signed in with this token. Revoking it signs you out.</p>
        )}
        <Failure error={form.error} />
        <div class="buttons">
          <button type="button" onClick={onClose} autofocus>
            Cancel
          </button>
          <button class="danger solid" aria-disabled={form.busy}>
            {form.busy ? 'Revoking …' : 'Revoke token'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
