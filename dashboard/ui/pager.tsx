import { SelectField } from './select-field.tsx';
import { type List, SIZES } from './use-list.ts';

interface Props {
  /** The accessible name: “Pages of tokens”. */
  label: string;
  list: Pick<List<unknown>, 'range' | 'size' | 'setSize' | 'toPrevious' | 'toNext'>;
}

export const Pager = ({ label, list }: Props) => (
  <nav class="pager" aria-label={label}>
    <SelectField
      label="Rows"
      options={SIZES.map((size) => [String(size), String(size)])}
      value={String(list.size)}
      onValue={(size) => list.setSize(Number(size))}
    />
    <span class="quiet">{list.range}</span>
    <button type="button" aria-disabled={!list.toPrevious} onClick={() => turn(list.toPrevious)}>
      Previous
    </button>
    <button type="button" aria-disabled={!list.toNext} onClick={() => turn(list.toNext)}>
      Next
    </button>
  </nav>
);

/** Turns the page and begins at its top, because the buttons are below the last row. */
function turn(toPage: (() => void) | undefined): void {
  if (!toPage) return;
  toPage();
  const table = document.querySelector('table');
  table?.scrollIntoView();
  table?.focus({ preventScroll: true });
}
