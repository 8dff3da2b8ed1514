import type { ComponentChildren } from 'preact';

interface TableProps {
  caption: string;
  columns: string[];
  busy: boolean;
  children: ComponentChildren;
}

/**
 * Rows with columns, which a narrow window shows one below the other; the roles are spelled out, since browsers forget
 * them where a table is no longer laid out as one.
 */
export const Table = ({ caption, columns, busy, children }: TableProps) => (
  <table role="table" aria-busy={busy}>
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

/** The last column. */
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
