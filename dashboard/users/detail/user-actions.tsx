import { useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { may } from '../../session/may.tsx';
import { useSession } from '../../session/session.ts';
import { download } from '../../ui/download.ts';
import { setActive } from '../edit/set-active.ts';

interface Props {
  user: User;
  onEdit(): void;
  onDelete(): void;
  onChanged(user: User): void;
  onNotice(notice: string): void;
  onFailed(error: unknown): void;
}

/** The actions on a user that the scopes of the token allow. */
export function UserActions({ user, onEdit, onDelete, onChanged, onNotice, onFailed }: Props) {
  const { client, token } = useSession();
  const [busy, setBusy] = useState<'active' | 'export'>();
  const run = (name: 'active' | 'export', action: () => Promise<void>) => {
    if (busy) return;
    setBusy(name);
    action()
      .catch(onFailed)
      .finally(() => setBusy(undefined));
  };
  const exportData = async () => {
    const data = await client.users.export(user.id);
    download(`${user.id}.json`, [JSON.stringify(data, null, 2)], 'application/json');
    onNotice(`Exported the data of ${user.name}`);
  };

  return (
    <div class="buttons">
      {may(token, 'admin') && (
        <button type="button" aria-disabled={busy !== undefined} onClick={() => run('export', exportData)}>
          {busy === 'export' ? 'Exporting …' : "Export this person's data"}
        </button>
      )}
      {may(token, 'users:write') && (
        <button
          type="button"
          aria-disabled={busy !== undefined}
          onClick={() => run('active', () => setActive(client, user).then(onChanged))}
        >
          {user.active ? 'Deactivate' : 'Activate'}
        </button>
      )}
      {may(token, 'users:delete') && (
        <button type="button" class="danger" onClick={onDelete}>
          Delete
        </button>
      )}
      {may(token, 'users:write') && (
        <button type="button" class="primary" onClick={onEdit}>
          Edit
        </button>
      )}
    </div>
  );
}
