import { type ComponentChildren, Fragment } from 'preact';
import { Link } from '../router/link.tsx';

export interface Column<Item> {
  title: string;
  /** The content of the cell of an item. */
  value(item: Item): ComponentChildren;
  /** Shown in place of the title. */
  head?: ComponentChildren;
  /** In CSS. Columns without one share what is left. If no column has one, the widths follow the content. */
  width?: string;
  /** `main` says what the row is about. */
  class?: string;
  /** The current direction; undefined if the list is not sorted by it. */
  sorted?: 'ascending' | 'descending';
  /** Undefined while the list cannot be sorted by it. */
  onSort?(): void;
}

interface Props<Item> {
  caption: string;
  columns: Column<Item>[];
  items: Item[];
  isSelected?(item: Item): boolean;
  /** What is shown below the row of an item; null while it is closed. */
  detailsOf?(item: Item): ComponentChildren;
  busy?: boolean;
  /** Whether the rows are those of an earlier request. */
  stale?: boolean;
}

/**
 * A table that becomes a list of cards in a narrow window. The roles are explicit because browsers drop the implicit
 * ones when CSS changes the display of a table.
 */
export function Table<Item>({ caption, columns, items, busy = false, stale, ...rows }: Props<Item>) {
  const { isSelected, detailsOf = () => null } = rows;
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
      <tbody role="rowgroup">
        {items.map((item, i) => (
          <Fragment key={(item as { id?: string }).id ?? i}>
            <tr role="row" class={isSelected?.(item) ? 'selected' : undefined}>
              {columns.map(({ title, class: name, value }) => (
                // A narrow window shows the title before the value.
                <td key={title} role="cell" class={name} data-label={title}>
                  {value(item)}
                </td>
              ))}
            </tr>
            <Details columns={columns.length}>{detailsOf(item)}</Details>
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

const Details = ({ columns, children }: { columns: number; children: ComponentChildren }) =>
  children === null ? null : (
    <tr role="row" class="details">
      <td role="cell" class="main" colSpan={columns}>
        {children}
      </td>
    </tr>
  );

const Head = <Item,>({ title, head, class: name, sorted, onSort }: Column<Item>) => (
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
export const ACTIONS = { title: 'Actions', head: <span class="unseen">Actions</span>, class: 'actions' };

/** Text on one line; the tooltip shows all of it. */
export const Clip = ({ text }: { text: string }) => (
  <span class="clip" title={text}>
    {text}
  </span>
);

/** The name of what a row shows, on one line. It leads to its page. */
export const NameLink = ({ name, to }: { name: string; to: string }) => (
  <Link to={to} class="clip strong" title={name}>
    {name}
  </Link>
);
