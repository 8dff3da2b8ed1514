import type { ComponentChildren } from 'preact';

interface TableProps {
  caption: string;
  columns: string[];
  busy: boolean;
  /** Whether the rows are those of an earlier request. */
  stale: boolean;
  children: ComponentChildren;
}

/**
 * A table that becomes a list of cards in a narrow window. The roles are explicit because browsers drop the implicit
 * ones when CSS changes the display of a table.
 */
export const Table = ({ caption, columns, busy, stale, children }: TableProps) => (
  <table role="table" aria-busy={busy} tabIndex={-1} class={stale ? 'stale' : undefined}>
    <caption class="unseen">{caption}</caption>
    <thead role="rowgroup">
      <tr role="row">
        {columns.map((column) => (
          <th key={column} role="columnheader" scope="col">
            {column === ACTIONS ? <span class="unseen">{column}</span> : column}
          </th>
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup">{children}</tbody>
  </table>
);

/** The heading of the last column, for screen readers only. */
export const ACTIONS = 'Actions';

export const Row = ({ children }: { children: ComponentChildren }) => <tr role="row">{children}</tr>;

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
