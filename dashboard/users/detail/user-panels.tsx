import type { User } from '../../../client/index.ts';
import { History } from '../../activity/history.tsx';
import { May } from '../../session/may.tsx';
import type { EditingEvents } from '../edit/editable-panel.tsx';
import { UserGroups } from '../edit/user-groups.tsx';
import { DetailsPanel } from './details-panel.tsx';
import { DirectoryAttributes } from './directory-attributes.tsx';
import { MetadataPanel } from './metadata-panel.tsx';

const ENTRIES = 20;

interface Props {
  user: User;
  isDeleted: boolean;
  /** Undefined if the user cannot be changed here. */
  editing: EditingEvents | undefined;
}

/** What there is to know about a user: beside it what only a directory can change, below it what happened. */
export const UserPanels = ({ user, isDeleted, editing }: Props) => (
  <div class="user-page">
    <div class="stack">
      <DetailsPanel user={user} events={editing} />
      <MetadataPanel user={user} events={editing} />
    </div>
    {!isDeleted && (
      <div class="stack aside">
        <UserGroups id={user.id} />
        {user.directory && <DirectoryAttributes directory={user.directory} />}
      </div>
    )}
    <May scope="admin">
      <History
        title="Activity"
        label={`What happened to ${user.name}`}
        query={{ target: user.id }}
        limit={ENTRIES}
        empty="Nothing is kept of what happened to this user."
        version={[user.version, isDeleted]}
      />
    </May>
  </div>
);
