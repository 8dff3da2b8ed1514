import type { ComponentChildren, JSX } from 'preact';
import { Failure } from './failure.tsx';
import { Messages } from './messages.tsx';
import { Pager } from './pager.tsx';
import { Skeleton } from './skeleton.tsx';
import { type Column, Table } from './table.tsx';

interface Props<Item> {
  /** What `useList()` returns. */
  list: {
    items?: unknown[];
    error: unknown;
    isLoading: boolean;
    isStale: boolean;
    range: string;
    retry(): void;
    toPrevious?(): void;
    toNext?(): void;
  };
  /** What the rows show; undefined until it has been loaded. */
  items: Item[] | undefined;
  /** What the items are: “users”. */
  of: string;
  caption: string;
  columns: Column[];
  /** See `Table`. */
  widths?: (string | undefined)[];
  /** What is said when there are none. */
  empty: ComponentChildren;
  /** Of a list that has pages. */
  paging?: { size: number; onSize(size: number): void };
  children(item: Item): JSX.Element;
}

/** A page of a list: its rows, or what is there in their place, and the buttons that turn the page. */
export const List = <Item,>({
  list,
  items,
  of,
  caption,
  columns,
  widths,
  empty,
  paging,
  children,
}: Props<Item>) => (
  <>
    <Messages>
      <Failure error={list.error} onRetry={list.retry} />
    </Messages>
    {!items && list.isLoading && <Skeleton />}
    {items && items.length > 0 && (
      <Table caption={caption} columns={columns} busy={list.isLoading} stale={list.isStale} widths={widths}>
        {items.map(children)}
      </Table>
    )}
    {items?.length === 0 && !list.isStale && <div class="empty">{empty}</div>}
    {paging && <Pager label={`Pages of ${of}`} list={list} {...paging} />}
  </>
);
