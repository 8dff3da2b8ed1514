import type { Token } from '../../../client/index.ts';
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
  const { onEnded } = useTokenEvents();
  const done = () => {
    onClose();
    onEnded();
    onChanged();
  };
  const TokenDialog = action === 'rotate' ? RotateDialog : RevokeDialog;
  return <TokenDialog token={token} onClose={onClose} onDone={done} />;
}
