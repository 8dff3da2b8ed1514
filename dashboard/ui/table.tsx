import type { ComponentChildren } from 'preact';
import { Link } from '../router/link.tsx';

/** A column with more than a title. */
export interface Column {
  title: string;
  /** Shown in place of the title. */
  head?: ComponentChildren;
  /** In CSS. Columns without one share what is left. If no column has one, the widths follow the content. */
  width?: string;
  /** That of its cells: only a wide window shows a column `for-wide`. */
  class?: string;
  /** The current direction; undefined if the list is not sorted by it. */
  sorted?: 'ascending' | 'descending';
  /** Undefined while the list cannot be sorted by it. */
  onSort?(): void;
}

interface TableProps {
  caption: string;
  columns: (string | Column)[];
  busy?: boolean;
  /** Whether the rows are those of an earlier request. */
  stale?: boolean;
  children: ComponentChildren;
}

/**
 * A table that becomes a list of cards in a narrow window. The roles are explicit because browsers drop the implicit
 * ones when CSS changes the display of a table.
 */
export function Table({ caption, columns: titles, busy = false, stale, children }: TableProps) {
  const columns = titles.map((column): Column => (typeof column === 'string' ? { title: column } : column));
  const isFixed = columns.some(({ width }) => width !== undefined);
  return (
    <table
      role="table"
      aria-busy={busy}
      tabIndex={-1}
      class={[stale && 'stale', isFixed && 'fixed'].filter(Boolean).join(' ') || undefined}
    >
      <caption class="unseen">{caption}</caption>
      {isFixed && (
        <colgroup>
          {columns.map(({ title, width, class: name }) => (
            <col key={title} class={name} style={{ width }} />
          ))}
        </colgroup>
      )}
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <Head key={column.title} {...column} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">{children}</tbody>
    </table>
  );
}

const Head = ({ title, head, class: name, sorted, onSort }: Column) => (
  <th role="columnheader" scope="col" class={name} aria-sort={sorted ?? (onSort ? 'none' : undefined)}>
    {onSort ? (
      <button type="button" class="plain sort" onClick={onSort}>
        {title}
      </button>
    ) : (
      (head ?? title)
    )}
  </th>
);

/** The last column, whose title is for screen readers only. */
export const ACTIONS: Column = { title: 'Actions', head: <span class="unseen">Actions</span> };

interface RowProps {
  selected?: boolean;
  children: ComponentChildren;
}

export const Row = ({ selected, children }: RowProps) => (
  <tr role="row" class={selected ? 'selected' : undefined}>
    {children}
  </tr>
);

interface CellProps {
  /** The column's name, shown before the value in a narrow window. */
  label?: string;
  class?: string;
  children: ComponentChildren;
}

export const Cell = ({ label, class: name, children }: CellProps) => (
  <td role="cell" class={name} data-label={label}>
    {children}
  </td>
);

/** A cell with text on one line; the tooltip shows all of it. */
export const TextCell = ({ label, text }: { label: string; text: string }) => (
  <Cell label={label} class="wider">
    <span class="clip" title={text}>
      {text}
    </span>
  </Cell>
);

/** The cell with the name of what the row shows, which may lead to its page. */
export const NameCell = ({ name, to }: { name: string; to?: string }) => (
  <Cell class="main wider">
    {to === undefined ? (
      <strong class="clip" title={name}>
        {name}
      </strong>
    ) : (
      <Link to={to} class="clip strong" title={name}>
        {name}
      </Link>
    )}
  </Cell>
);
