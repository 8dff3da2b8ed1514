import type { User } from '../../../client/index.ts';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Cell, Row } from '../../ui/table.tsx';
import { moveInBoxes } from '../bulk/selection.ts';
import { COLUMNS } from '../user/fields.tsx';

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
    {COLUMNS.map(({ name, title, class: className, value }) => (
      <Cell key={name} class={className} label={name === 'name' ? undefined : title}>
        {value(user)}
      </Cell>
    ))}
    <Cell class="actions">
      <Menu label={`Actions for ${user.name}`} items={actions} />
    </Cell>
  </Row>
);
