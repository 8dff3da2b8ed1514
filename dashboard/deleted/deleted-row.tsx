import type { DeletedUser } from '../../client/index.ts';
import { May } from '../session/may.tsx';
import { CopyId } from '../ui/copy-id.tsx';
import { Cell, NameCell, Row, TextCell } from '../ui/table.tsx';
import { ShortDate } from '../ui/time.tsx';
import { RoleChip } from '../users/user/roles.tsx';

interface Props {
  user: DeletedUser;
  onRestore(): void;
  onPurge(): void;
}

export const DeletedRow = ({ user, onRestore, onPurge }: Props) => (
  <Row>
    <NameCell name={user.name} />
    <TextCell label="Email" text={user.email} />
    <Cell label="Role">
      <RoleChip role={user.role} />
    </Cell>
    <Cell label="Deleted">
      <ShortDate iso={user.deletedAt} />
    </Cell>
    <Cell label="Will be purged">
      <ShortDate iso={user.purgeAt} />
    </Cell>
    <Cell label="ID">
      <CopyId id={user.id} name={user.name} />
    </Cell>
    <Cell class="actions">
      <May scope="users:write">
        <button type="button" class="plain small" aria-label={`Restore ${user.name}`} onClick={onRestore}>
          Restore
        </button>
      </May>
      <May scope="admin">
        <button type="button" class="plain danger small" aria-label={`Purge ${user.name}`} onClick={onPurge}>
          Purge
        </button>
      </May>
    </Cell>
  </Row>
);
