import type { User } from '../../client/index.ts';
import { Cell, Row } from '../ui/table.tsx';
import { DateOf } from '../ui/time.tsx';
import { ROLES } from './roles.ts';
import { UserId } from './user-id.tsx';

interface Props {
  user: User;
  onEdit(): void;
  onDelete(): void;
}

export const UserRow = ({ user, onEdit, onDelete }: Props) => (
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
    <Cell label="Metadata" class="wide">
      <Metadata metadata={user.metadata} />
    </Cell>
    <Cell label="Created">
      <DateOf iso={user.createdAt} />
    </Cell>
    <Cell label="Changed">
      <DateOf iso={user.updatedAt} />
    </Cell>
    <Cell class="actions">
      <button type="button" class="plain small" aria-label={`Edit ${user.name}`} onClick={onEdit}>
        Edit
      </button>
      <button type="button" class="plain danger small" aria-label={`Delete ${user.name}`} onClick={onDelete}>
        Delete
      </button>
    </Cell>
  </Row>
);

const MAX_SHOWN_KEYS = 3;
const MAX_SHOWN_LENGTH = 60;

/** The first entries on one line; the tooltip shows all of them. */
function Metadata({ metadata }: { metadata: User['metadata'] }) {
  const entries = Object.entries(metadata).map(([key, value]) => `${key}: ${shorten(value)}`);
  if (entries.length === 0) return <span class="quiet">None</span>;
  return (
    <span class="clip" title={entries.join('\n')}>
      {entries.slice(0, MAX_SHOWN_KEYS).join(', ')}
      {entries.length > MAX_SHOWN_KEYS && ', …'}
    </span>
  );
}

function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}
