import type { DeletedUser } from '../../client/index.ts';
import { Cell, Row } from '../ui/table.tsx';
import { DateOf } from '../ui/time.tsx';
import { ROLES } from '../users/roles.ts';
import { UserId } from '../users/user-id.tsx';

interface Props {
  user: DeletedUser;
  onRestore(): void;
  onPurge(): void;
}

export const DeletedRow = ({ user, onRestore, onPurge }: Props) => (
  <Row>
    <Cell class="main wider">
      <strong class="clip" title={user.name}>
        {user.name}
      </strong>
      <UserId id={user.id} name={user.name} />
    </Cell>
    <Cell label="Email" class="wider">
      <span class="clip" title={user.email}>
        {user.email}
      </span>
    </Cell>
    <Cell label="Role">
      <span class="chip">{ROLES[user.role]}</span>
    </Cell>
    <Cell label="Deleted">
      <DateOf iso={user.deletedAt} />
    </Cell>
    <Cell label="Will be purged">
      <DateOf iso={user.purgeAt} />
    </Cell>
    <Cell class="actions">
      <button type="button" class="plain small" aria-label={`Restore ${user.name}`} onClick={onRestore}>
        Restore
      </button>
      <button type="button" class="plain danger small" aria-label={`Purge ${user.name}`} onClick={onPurge}>
        Purge
      </button>
    </Cell>
  </Row>
);
