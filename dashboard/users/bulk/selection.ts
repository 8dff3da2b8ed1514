import { useEffect, useRef, useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';

/** The selected users, including those on other pages. A new filter clears the selection. */
export function useSelection(filterKey: string, users: User[] | undefined) {
  const [selected, setSelected] = useState<ReadonlyMap<string, User>>(new Map());
  /** The id of the user whose box was changed last: the start of a range. */
  const anchor = useRef<string | undefined>(undefined);
  const [isAll, setIsAll] = useState(false);
  const replace = (users: User[], isAll: boolean) => {
    setSelected(new Map(users.map((user) => [user.id, user])));
    setIsAll(isAll);
  };
  const clear = () => replace([], false);
  useEffect(clear, [filterKey]);

  const set = (users: User[], isSelected: boolean) => {
    setIsAll(false);
    setSelected((selected) => {
      const next = new Map(selected);
      for (const user of users) {
        if (isSelected) next.set(user.id, user);
        else next.delete(user.id);
      }
      return next;
    });
  };
  const shown = users ?? [];
  return {
    selected,
    isPageSelected: shown.length > 0 && shown.every(({ id }) => selected.has(id)),
    /** Whether all have been selected, and none was changed since. */
    isAll,
    clear,
    selectAll: (users: User[]) => replace(users, true),
    setPage: (isSelected: boolean) => set(shown, isSelected),
    /** Changes one box, or all from the one that was changed last. */
    toggle(user: User, isSelected: boolean, isRange: boolean) {
      const [from, to] = [anchor.current ?? user.id, user.id].map((id) =>
        shown.findIndex((other) => other.id === id),
      );
      const range = shown.slice(Math.min(from, to), Math.max(from, to) + 1);
      set(isRange && from >= 0 ? range : [user], isSelected);
      anchor.current = user.id;
    },
  };
}

export type Selection = ReturnType<typeof useSelection>;

/** Moves through the boxes of a table with the arrow keys. Shift takes the next one into the selection. */
export function moveInBoxes(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const box = event.currentTarget as HTMLInputElement;
  const boxes = [...box.closest('tbody')!.querySelectorAll<HTMLInputElement>('input[type=checkbox]')];
  const next = boxes[boxes.indexOf(box) + (event.key === 'ArrowDown' ? 1 : -1)];
  if (!next) return;
  event.preventDefault();
  next.focus();
  if (event.shiftKey && next.checked !== box.checked) next.click();
}
