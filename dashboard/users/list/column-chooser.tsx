import { Menu } from '../../ui/menu.tsx';
import { chooseColumn } from './choice.ts';
import { canChoose, type Offer } from './offers.tsx';

/** Chooses the columns of the list, which stay in this browser. */
export const ColumnChooser = ({ offers }: { offers: Offer[] }) => (
  <span class="chooser">
    <Menu
      label="Columns"
      icon="columns"
      items={offers.filter(canChoose).map(({ name, title, isShown }) => ({
        title,
        kind: 'checkbox' as const,
        checked: isShown,
        onChoose: () => chooseColumn(name, !isShown),
      }))}
    />
  </span>
);
