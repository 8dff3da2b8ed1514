import type { User } from '../../../client/index.ts';
import { RestoreDialog } from '../../deleted/restore-dialog.tsx';
import { useSession } from '../../session/session.ts';
import { Dialog, focusHeading } from '../../ui/dialog.tsx';
import { type Bulk, summaryOf, usersIn } from '../bulk/bulk.ts';
import { BulkDialog } from '../bulk/bulk-dialog.tsx';
import { DeleteUserDialog } from '../edit/delete-user-dialog.tsx';
import { EditUserDialog } from '../edit/edit-user-dialog.tsx';
import { UserForm } from '../edit/user-form.tsx';
import { ExportDialog } from '../export/export-dialog.tsx';
import { NEW_USER } from '../user/fields.tsx';
import type { UserFilter } from '../user/user-filter.ts';
import type { Aftermath } from './aftermath.tsx';

export type OpenDialog =
  | { action: 'create' | 'export' }
  | { action: 'edit' | 'delete' | 'restore'; user: User }
  | { action: 'bulk'; bulk: Bulk };

interface Props {
  dialog: OpenDialog;
  filter: UserFilter;
  onClose(): void;
  onFinished(aftermath: Aftermath): void;
  /** Users have been written: the list is no longer what it was. */
  onWritten(): void;
  onSaved(user: User): void;
  onGone(user: User): void;
}

/** The dialog that is open on the page of the users. */
export function UserDialogs({ dialog, filter, onClose, onFinished, onWritten, onSaved, onGone }: Props) {
  const { client } = useSession();
  const finish = (aftermath: Aftermath) => {
    onFinished(aftermath);
    onWritten();
  };
  const finishAtHeading = (aftermath: Aftermath) => {
    finish(aftermath);
    focusHeading(); // the row, or the button, goes
  };
  const done = (notice: string): Aftermath => ({ kind: 'done', notice });
  switch (dialog.action) {
    case 'create':
      return (
        <Dialog title="Create a user" onClose={onClose}>
          <UserForm
            initial={NEW_USER}
            action="Create user"
            onSubmit={async (values) => finish(done(`Created ${(await client.users.create(values)).name}`))}
          />
        </Dialog>
      );
    case 'export':
      return (
        <ExportDialog
          filter={filter}
          onClose={onClose}
          onExported={(length) => onFinished(done(`Exported ${usersIn({ length })}`))}
        />
      );
    case 'bulk': {
      const { bulk } = dialog;
      return (
        <BulkDialog
          key={bulk}
          bulk={bulk}
          onClose={onClose}
          onDone={(outcome) => {
            const { done, changed, isUncertain } = outcome;
            if (done.length === 0 && !isUncertain) return onClose();
            finishAtHeading({
              kind: 'bulk',
              notice: summaryOf(bulk, outcome),
              undo: changed.length > 0 ? bulk.undo?.(changed) : undefined,
            });
          }}
        />
      );
    }
    case 'edit':
      return (
        <EditUserDialog
          id={dialog.user.id}
          onClose={onClose}
          onGone={() => onGone(dialog.user)}
          onSaved={(saved) => {
            onSaved(saved);
            finish(done(`Saved ${saved.name}`));
          }}
          onUnchanged={() => finish(done('No changes were made'))}
        />
      );
    case 'delete':
      return (
        <DeleteUserDialog
          user={dialog.user}
          onClose={onClose}
          onDeleted={(user) => {
            onGone(user);
            finishAtHeading({ kind: 'deleted', notice: `Deleted ${user.name}`, user });
          }}
        />
      );
    case 'restore':
      return (
        <RestoreDialog
          user={dialog.user}
          isTaken
          onClose={onClose}
          onRestored={({ name }) => finishAtHeading(done(`Restored ${name}`))}
        />
      );
  }
}
