import type { ComponentChildren } from 'preact';
import { Link } from '../router/link.tsx';

/** A column that the list can be sorted by. */
export interface SortableColumn {
  title: string;
  /** The current direction; undefined if the list is not sorted by it. */
  sorted: 'ascending' | 'descending' | undefined;
  /** Undefined while the list cannot be sorted. */
  onSort: (() => void) | undefined;
}

/** A column that only a wide window shows. Its cells have the class `for-wide`. */
interface WideColumn {
  title: string;
  isForWide: true;
}

/** A column's title, alone or with its sorting, or a replacement for the title. */
export type Column = string | SortableColumn | WideColumn | { title: string; head: ComponentChildren };

interface TableProps {
  caption: string;
  columns: Column[];
  busy: boolean;
  /** Whether the rows are those of an earlier request. */
  stale: boolean;
  /** The widths of the columns in CSS; those without one share what is left. Without any, they follow the content. */
  widths?: (string | undefined)[];
  children: ComponentChildren;
}

/**
 * A table that becomes a list of cards in a narrow window. The roles are explicit because browsers drop the implicit
 * ones when CSS changes the display of a table.
 */
export const Table = ({ caption, columns, busy, stale, widths, children }: TableProps) => (
  <table
    role="table"
    aria-busy={busy}
    tabIndex={-1}
    class={[stale && 'stale', widths && 'fixed'].filter(Boolean).join(' ') || undefined}
  >
    <caption class="unseen">{caption}</caption>
    {widths && (
      <colgroup>
        {widths.map((width, i) => (
          <col key={i} class={classOf(columns[i])} style={{ width }} />
        ))}
      </colgroup>
    )}
    <thead role="rowgroup">
      <tr role="row">
        {columns.map((column) => (
          <Head key={typeof column === 'string' ? column : column.title} column={column} />
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup">{children}</tbody>
  </table>
);

const classOf = (column: Column) =>
  typeof column !== 'string' && 'isForWide' in column ? 'for-wide' : undefined;

function Head({ column }: { column: Column }) {
  if (typeof column === 'string') {
    return (
      <th role="columnheader" scope="col">
        {column === ACTIONS ? <span class="unseen">{column}</span> : column}
      </th>
    );
  }
  if ('head' in column) {
    return (
      <th role="columnheader" scope="col">
        {column.head}
      </th>
    );
  }
  if ('isForWide' in column) {
    return (
      <th role="columnheader" scope="col" class={classOf(column)}>
        {column.title}
      </th>
    );
  }
  const { title, sorted, onSort } = column;
  return (
    <th role="columnheader" scope="col" aria-sort={sorted ?? (onSort ? 'none' : undefined)}>
      {onSort ? (
        <button type="button" class="plain sort" onClick={onSort}>
          {title}
        </button>
      ) : (
        title
      )}
    </th>
  );
}

/** The heading of the last column, for screen readers only. */
export const ACTIONS = 'Actions';

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
