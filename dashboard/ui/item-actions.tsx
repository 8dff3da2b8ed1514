import type { Ref } from 'preact';
import { Menu, type MenuItem } from './menu.tsx';

interface Props {
  /** The name of the item. */
  name: string;
  /** Undefined if it cannot be edited. */
  onEdit?(): void;
  editRef?: Ref<HTMLButtonElement>;
  /** All other actions, dangerous ones last. */
  items: MenuItem[];
}

/** What can be done with the item of a page, beside its heading. */
export const ItemActions = ({ name, onEdit, editRef, items }: Props) => (
  <div class="buttons item-actions">
    {onEdit && (
      <button type="button" aria-keyshortcuts="E" ref={editRef} onClick={onEdit}>
        Edit
      </button>
    )}
    <Menu label={`Actions for ${name}`} items={items} />
  </div>
);
