import type { User } from '../../../client/index.ts';
import { CopyId } from '../../ui/copy-id.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Cell, NameCell, Row, TextCell } from '../../ui/table.tsx';
import { ShortDate } from '../../ui/time.tsx';
import { moveInBoxes } from '../bulk/selection.ts';
import { RoleChip } from '../user/role-chip.tsx';

interface Props {
  user: User;
  isSelected: boolean;
  onSelect(isSelected: boolean, isRange: boolean): void;
  actions: MenuItem[];
}

export const UserRow = ({ user, isSelected, onSelect, actions }: Props) => (
  <Row selected={isSelected}>
    <Cell class="box">
      <input
        type="checkbox"
        aria-label={`Select ${user.name}`}
        checked={isSelected}
        onKeyDown={moveInBoxes}
        onClick={(event) => onSelect(event.currentTarget.checked, event.shiftKey)}
      />
    </Cell>
    <NameCell name={user.name} to={`users/${user.id}`} />
    <TextCell label="Email" text={user.email} />
    <Cell label="Role">
      <RoleChip role={user.role} />
    </Cell>
    <Cell label="State">
      <span class={user.active ? 'state active' : 'state'}>{user.active ? 'Active' : 'Inactive'}</span>
    </Cell>
    <Cell label="Created">
      <ShortDate iso={user.createdAt} />
    </Cell>
    <Cell label="Changed">
      <ShortDate iso={user.updatedAt} />
    </Cell>
    <Cell label="ID">
      <CopyId id={user.id} name={user.name} />
    </Cell>
    <Cell label="External ID" class="for-wide">
      <span class="clip" title={user.externalId ?? undefined}>
        {user.externalId ?? '–'}
      </span>
    </Cell>
    <Cell class="actions">
      <Menu label={`Actions for ${user.name}`} items={actions} />
    </Cell>
  </Row>
);
