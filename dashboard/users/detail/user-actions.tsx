import { useRef } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { may } from '../../session/may.tsx';
import { useSession } from '../../session/session.ts';
import { download } from '../../ui/download.ts';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { setActive } from '../edit/set-active.ts';

interface Props {
  user: User;
  onDelete(): void;
  onChanged(user: User): void;
  onNotice(notice: string): void;
  onFailed(error: unknown): void;
}

/** The actions on a user that the scopes of the token allow. */
export function UserActions({ user, onDelete, onChanged, onNotice, onFailed }: Props) {
  const { client, token } = useSession();
  const isBusy = useRef(false);
  const run = (action: () => Promise<void>) => {
    if (isBusy.current) return;
    isBusy.current = true;
    onNotice(''); // the same one may come again
    action()
      .catch(onFailed)
      .finally(() => (isBusy.current = false));
  };
  const exportData = async () => {
    onNotice(`Exporting the data of ${user.name} …`);
    const data = await client.users.export(user.id);
    download(`${user.id}.json`, [JSON.stringify(data, null, 2)], 'application/json');
    onNotice(`Exported the data of ${user.name}`);
  };
  const copy = async () => {
    await navigator.clipboard.writeText(JSON.stringify(user, null, 2));
    onNotice(`Copied ${user.name} as JSON`);
  };
  const when = (isOffered: boolean, item: MenuItem) => (isOffered ? [item] : []);
  const items = [
    ...when(may(token, 'users:write'), {
      title: user.active ? 'Deactivate' : 'Activate',
      onChoose: () => run(() => setActive(client, user).then(onChanged)),
    }),
    // Browsers have no clipboard for pages without HTTPS.
    ...when('clipboard' in navigator, { title: 'Copy as JSON', onChoose: () => run(copy) }),
    ...when(may(token, 'admin'), { title: "Export this person's data", onChoose: () => run(exportData) }),
    ...when(may(token, 'users:delete'), { title: 'Delete', danger: true, onChoose: onDelete }),
  ];
  return items.length > 0 ? <Menu label={`Actions for ${user.name}`} text="Actions" items={items} /> : null;
}
