import type { User } from '../../../client/index.ts';
import type { Bulk } from '../bulk/bulk.ts';

export type OpenDialog =
  | { action: 'create' | 'import' | 'export' }
  | { action: 'edit' | 'delete' | 'restore'; user: User }
  | { action: 'bulk'; bulk: Bulk };

/** What the last action has come to, and what can undo it. */
export type Aftermath =
  | { kind: 'done'; notice: string }
  | { kind: 'deleted'; notice: string; user: User }
  | { kind: 'bulk'; notice: string; undo: Bulk | undefined }
  | { kind: 'failed'; error: unknown };

export interface PageState {
  dialog?: OpenDialog;
  aftermath?: Aftermath;
}

export type PageAction =
  | { type: 'open'; dialog: OpenDialog }
  | { type: 'close' }
  /** What the dialog was opened for is done. */
  | { type: 'finish'; aftermath: Aftermath }
  /** An action without a dialog has ended. A dialog that was opened meanwhile stays open. */
  | { type: 'settle'; aftermath?: Aftermath }
  /** A deleted user could not be restored at once because somebody else has the email by now. */
  | { type: 'ask-for-email'; user: User; error: unknown };

export function reducePage(state: PageState, action: PageAction): PageState {
  switch (action.type) {
    case 'open':
      return { dialog: action.dialog };
    case 'close':
      return { ...state, dialog: undefined };
    case 'finish':
      return { aftermath: action.aftermath };
    case 'settle':
      return { ...state, aftermath: action.aftermath };
    case 'ask-for-email':
      return {
        dialog: state.dialog ?? { action: 'restore', user: action.user },
        aftermath: { kind: 'failed', error: action.error },
      };
  }
}
