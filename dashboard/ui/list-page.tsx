import type { ComponentChildren, JSX } from 'preact';
import { Failure } from './failure.tsx';
import { ListStatus } from './list-status.tsx';
import { Messages } from './messages.tsx';
import { Pager } from './pager.tsx';
import { Skeleton } from './skeleton.tsx';
import { type Column, Table } from './table.tsx';
import type { List } from './use-list.ts';

interface Props<Item> {
  title: ComponentChildren;
  /** The buttons beside the title. */
  actions?: ComponentChildren;
  lead?: ComponentChildren;
  /** The form that searches the list, in a row of its own. */
  search?: ComponentChildren;
  /** Shown before the number of items, in the same row. */
  beside?: ComponentChildren;
  /** Replaces the number of items while the text is not enough to search for. */
  hint?: string | false;
  list: Omit<List<unknown>, 'map' | 'drop'>;
  /** The items of the rows; undefined until they have been loaded. */
  items: Item[] | undefined;
  /** The name of an item: “user”. */
  singular: string;
  plural: string;
  caption: string;
  columns: (string | Column)[];
  /** Replaces the rows if there are none. */
  empty: ComponentChildren;
  /** Left out if the list never has a second page. */
  paging?: { size: number; onSize(size: number): void };
  children(item: Item): JSX.Element;
}

/** A page of the dashboard that is a list: the heading, the tools, the rows or their replacement, and the pager. */
export const ListPage = <Item,>({ list, items, singular, plural, ...props }: Props<Item>) => (
  <>
    <div class="heading">
      <h1 tabIndex={-1}>{props.title}</h1>
      {props.actions}
    </div>
    {props.lead && <p class="quiet lead">{props.lead}</p>}
    {props.search}
    <div class={props.search ? 'line' : 'tools'}>
      {props.beside}
      {props.hint ? (
        <p class="quiet status" role="status">
          {props.hint}
        </p>
      ) : (
        <ListStatus list={list} singular={singular} plural={plural} />
      )}
    </div>
    <Messages>
      <Failure error={list.error} onRetry={list.retry} />
    </Messages>
    {!items && list.isLoading && <Skeleton />}
    {items && items.length > 0 && (
      <Table caption={props.caption} columns={props.columns} busy={list.isLoading} stale={list.isStale}>
        {items.map(props.children)}
      </Table>
    )}
    {items?.length === 0 && !list.isStale && <div class="empty">{props.empty}</div>}
    {props.paging && <Pager label={`Pages of ${plural}`} list={list} {...props.paging} />}
  </>
);
