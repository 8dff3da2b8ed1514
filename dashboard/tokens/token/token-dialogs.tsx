import type { Token } from '../../../client/index.ts';
import { EditTokenDialog } from './edit-token-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import { useTokenEvents } from './token-events.ts';

export interface OpenTokenDialog {
  action: 'edit' | 'rotate' | 'revoke';
  token: Token;
}

interface Props {
  dialog: OpenTokenDialog;
  onClose(): void;
  /** The token has changed, has ended or will soon, unless that has ended the session. */
  onChanged(notice?: string): void;
}

const DIALOGS = { edit: EditTokenDialog, rotate: RotateDialog, revoke: RevokeDialog };

/** Changes, rotates or revokes a token, perhaps the one of this session. */
export function TokenDialogs({ dialog: { action, token }, onClose, onChanged }: Props) {
  const events = useTokenEvents();
  const changed = (notice?: string) => {
    events.onChanged();
    onChanged(notice);
  };
  const done = (notice?: string) => {
    onClose();
    changed(notice);
  };
  const TokenDialog = DIALOGS[action];
  return <TokenDialog token={token} onClose={onClose} onDone={done} onEnded={changed} />;
}
