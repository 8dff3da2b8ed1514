import type { Token } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { focusHeading } from '../../ui/dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import { useTokenEvents } from './token-events.ts';

export interface OpenTokenDialog {
  action: 'rotate' | 'revoke';
  token: Token;
}

interface Props {
  dialog: OpenTokenDialog;
  onClose(): void;
  /** The token has ended, or will soon, unless that has ended the session. */
  onChanged(): void;
}

/** Rotates or revokes a token, perhaps the one of this session. */
export function TokenDialogs({ dialog: { action, token }, onClose, onChanged }: Props) {
  const { token: current, end, renew } = useSession();
  const { onCreated, onEnded } = useTokenEvents();
  const isCurrent = token.id === current.id;
  const settle = () => {
    onClose();
    onEnded();
    onChanged();
  };
  if (action === 'rotate')
    return (
      <RotateDialog
        token={token}
        isCurrent={isCurrent}
        onClose={onClose}
        onRotated={(successor) => {
          onCreated(successor);
          if (isCurrent) renew(successor);
          settle();
        }}
      />
    );
  return (
    <RevokeDialog
      token={token}
      isCurrent={isCurrent}
      onClose={onClose}
      onRevoked={() => {
        if (isCurrent) return end('revoked');
        settle();
        focusHeading();
      }}
    />
  );
}
