import { useState } from 'preact/hooks';
import { May } from '../../session/may.tsx';
import { useSession } from '../../session/session.ts';
import { focusHeading } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ROLES, type Role } from '../user/roles.ts';
import type { UserFilter } from '../user/user-filter.ts';
import { type Bulk, changeActive, changeRole, deleteUsers, usersIn } from './bulk.ts';
import type { Selection } from './selection.ts';
import { WalkDialog } from './walk-dialog.tsx';

interface Props {
  selection: Selection;
  filter: UserFilter;
  /** Whether there are more users than the page shows. */
  hasMore: boolean;
  onBulk(bulk: Bulk): void;
}

/** The actions on the selected users. */
export function SelectionBar({ selection, filter, hasMore, onBulk }: Props) {
  const { client } = useSession();
  const [isWalking, setIsWalking] = useState(false);
  const { selected, isPageSelected, isAll, clear, selectAll } = selection;
  const targets = [...selected.values()];
  return (
    <div class="selection" role="group" aria-label="Selected users">
      <span role="status">{usersIn(targets)} selected</span>
      {isPageSelected && hasMore && !isAll && (
        <button type="button" class="small plain accent" onClick={() => setIsWalking(true)}>
          {`Select all that this ${filter.query === undefined ? 'list' : 'search'} has`}
        </button>
      )}
      <May scope="users:write">
        <Menu
          label="Change the role"
          text="Change role"
          items={Object.entries(ROLES).map(([role, title]) => ({
            title,
            onChoose: () => onBulk(changeRole(client, targets, role as Role)),
          }))}
        />
        <button type="button" class="small" onClick={() => onBulk(changeActive(client, targets, true))}>
          Activate
        </button>
        <button type="button" class="small" onClick={() => onBulk(changeActive(client, targets, false))}>
          Deactivate
        </button>
      </May>
      <May scope="users:delete">
        <button type="button" class="small danger" onClick={() => onBulk(deleteUsers(client, targets))}>
          Delete
        </button>
      </May>
      <button
        type="button"
        class="small plain"
        onClick={() => {
          clear();
          focusHeading();
        }}
      >
        Clear
      </button>
      {isWalking && (
        <WalkDialog
          filter={filter}
          title="Selecting users"
          keep={(user) => user}
          onClose={() => setIsWalking(false)}
          onDone={(targets) => {
            setIsWalking(false);
            selectAll(targets);
          }}
        />
      )}
    </div>
  );
}
