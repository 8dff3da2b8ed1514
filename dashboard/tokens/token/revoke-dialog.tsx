import { useState } from 'preact/hooks';
import type { Token } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { focusHeading } from '../../ui/dialog.tsx';
import { ConfirmDialog } from '../../ui/form-dialog.tsx';
import { Ago } from '../../ui/time.tsx';
import { useChildCount } from './children.ts';
import { isLastAdmin } from './last-admin.ts';
import { LastAdminBanner } from './last-admin-banner.tsx';
import { formatCount } from '../../ui/format.ts';

interface Props {
  token: Token;
  onClose(): void;
  onDone(): void;
}

export function RevokeDialog({ token, onClose, onDone }: Props) {
  const { client, token: current, end } = useSession();
  const isCurrent = token.id === current.id;
  const children = useChildCount(token);
  const [isAskingAgain, setIsAskingAgain] = useState(false);
  const revoke = async () => {
    if (!isAskingAgain && (await isLastAdmin(client, token))) return setIsAskingAgain(true);
    await client.tokens.revoke(token.id);
    if (isCurrent) return end('revoked');
    onDone();
    focusHeading();
  };

  return (
    <ConfirmDialog
      title={`Revoke “${token.name}”?`}
      action={isAskingAgain ? 'Revoke the last admin token' : 'Revoke token'}
      doing="Revoking …"
      isDangerous
      onSubmit={revoke}
      onClose={onClose}
    >
      <p>
        Requests that use the token <code>{token.hint}</code> will be rejected immediately. This cannot be
        undone.
      </p>
      <p>
        {token.lastUsedAt ? (
          <>
            Last used <Ago iso={token.lastUsedAt} />.
          </>
        ) : (
          'Not used yet (may lag by a minute).'
        )}
      </p>
      <p role="status">{endOfChildren(children.value, children.error)}</p>
      {isCurrent && (
        <p class="banner warning">You are signed in with this token. Revoking it signs you out.</p>
      )}
      {isAskingAgain && (
        <LastAdminBanner>Once it is revoked, nobody can sign in here or manage tokens.</LastAdminBanner>
      )}
    </ConfirmDialog>
  );
}

/** Says that the children end, too. Empty if there are none, or as long as nobody knows. */
function endOfChildren(count: number | undefined, error: unknown): string {
  if (error !== undefined) return 'Tokens that it has issued are revoked with it.';
  if (!count) return '';
  if (count === 1) return 'The token that it has issued is revoked with it.';
  return `The ${formatCount(count)} tokens that it has issued are revoked with it.`;
}
