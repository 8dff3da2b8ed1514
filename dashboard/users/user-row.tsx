import type { User } from '../../client/index.ts';
import { Cell, Row } from '../ui/table.tsx';
import { DateOf } from '../ui/time.tsx';

interface Props {
  user: User;
  onEdit(): void;
  onDelete(): void;
}

export const UserRow = ({ user, onEdit, onDelete }: Props) => (
  <Row>
    <Cell class="main">
      <strong>{user.name}</strong>
      <code class="sub">{user.id}</code>
    </Cell>
    <Cell label="Email" class="wrap">
      {user.email}
    </Cell>
    <Cell label="Role">
      <span class="role">{user.role}</span>
    </Cell>
    <Cell label="Metadata" class="wrap">
      <MetadataKeys metadata={user.metadata} />
    </Cell>
    <Cell label="Created">
      <DateOf iso={user.createdAt} />
    </Cell>
    <Cell label="Changed">
      <DateOf iso={user.updatedAt} />
    </Cell>
    <Cell class="actions">
      <button type="button" class="small" aria-label={`Edit ${user.name}`} onClick={onEdit}>
        Edit
      </button>
      <button type="button" class="danger small" aria-label={`Delete ${user.name}`} onClick={onDelete}>
        Delete
      </button>
    </Cell>
  </Row>
);

const MAX_SHOWN_KEYS = 2;

/** The first keys and the number of the others. */
function MetadataKeys({ metadata }: { metadata: User['metadata'] }) {
  const keys = Object.keys(metadata);
  if (keys.length === 0) return <span class="quiet">None</span>;
  const more = keys.length - MAX_SHOWN_KEYS;
  return (
    <>
      {keys.slice(0, MAX_SHOWN_KEYS).join(', ')}
      {more > 0 && <span class="quiet"> and {more} more</span>}
    </>
  );
}
