import type { User } from '../../../client/index.ts';
import { may } from '../../session/may.tsx';
import { useSession } from '../../session/session.ts';
import { Failure } from '../../ui/failure.tsx';
import { Messages } from '../../ui/messages.tsx';
import type { Bulk } from '../bulk/bulk.ts';
import { UndoDelete } from '../edit/undo-delete.tsx';

/** What the last action has come to, and what can undo it. */
export type Aftermath =
  | { kind: 'done'; notice: string }
  | { kind: 'deleted'; notice: string; user: User }
  | { kind: 'bulk'; notice: string; undo: Bulk | undefined }
  | { kind: 'failed'; error: unknown };

interface Props {
  aftermath: Aftermath | undefined;
  onRestored(user: User): void;
  onNotRestored(user: User, error: unknown): void;
  onExpired(deleted: Aftermath & { kind: 'deleted' }): void;
  onUndo(bulk: Bulk): void;
  onDismiss(): void;
}

/** Says what the last action has come to. A token may delete and yet not restore. */
export function AftermathMessages({ aftermath, ...on }: Props) {
  const canWrite = may(useSession().token, 'users:write');
  return (
    <Messages
      notice={aftermath && aftermath.kind !== 'failed' && aftermath.notice}
      action={canWrite && undoOf(aftermath, on)}
    >
      <Failure error={aftermath?.kind === 'failed' ? aftermath.error : undefined} onDismiss={on.onDismiss} />
    </Messages>
  );
}

function undoOf(aftermath: Aftermath | undefined, on: Omit<Props, 'aftermath'>) {
  if (aftermath?.kind === 'deleted')
    return (
      <UndoDelete
        key={aftermath.user.id}
        user={aftermath.user}
        onRestored={on.onRestored}
        onFailed={(error) => on.onNotRestored(aftermath.user, error)}
        onExpired={() => on.onExpired(aftermath)}
      />
    );
  return (
    aftermath?.kind === 'bulk' &&
    aftermath.undo && (
      <button type="button" class="small" onClick={() => on.onUndo(aftermath.undo!)}>
        Undo
      </button>
    )
  );
}
