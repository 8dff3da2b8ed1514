import type { ComponentChildren } from 'preact';
import { Failure } from './failure.tsx';
import { countOf } from './format.ts';
import { Messages } from './messages.tsx';
import { Pager } from './pager.tsx';
import { Skeleton } from './skeleton.tsx';
import { type Column, Table } from './table.tsx';
import { type List, SIZES } from './use-list.ts';

type ShownList<Item> = Omit<List<Item>, 'change'>;

interface RowsProps<Item> {
  list: ShownList<Item>;
  plural: string;
  caption: string;
  columns: Column<Item>[];
  isSelected?(item: Item): boolean;
  /** Replaces the rows if there are none. */
  empty: ComponentChildren;
  /** Whether the list never has a second page. */
  isWhole?: boolean;
}

/** The rows of a list or their replacement, and the pager. */
export const ListRows = <Item,>({ list, plural, empty, isWhole, ...table }: RowsProps<Item>) => (
  <>
    {list.items && list.items.length > 0 && (
      <Table {...table} items={list.items} busy={list.isLoading} stale={list.isStale} />
    )}
    {list.items?.length === 0 && !list.isStale && <div class="empty">{empty}</div>}
    {!isWhole && !isShort(list) && <Pager label={`Pages of ${plural}`} list={list} />}
  </>
);

/** Whether the shortest page has all items. */
const isShort = ({ items = [], size, toPrevious }: ShownList<unknown>) =>
  !toPrevious && size === SIZES[0] && items.length < size;

interface Props<Item> extends Omit<RowsProps<Item>, 'plural'> {
  title: ComponentChildren;
  /** The buttons beside the title. */
  actions?: ComponentChildren;
  lead?: ComponentChildren;
  /** The fields that search the list, in a row of their own. */
  search?: ComponentChildren;
  /** Shown before the number of items, in the same row. */
  beside?: ComponentChildren;
  /** Replaces the number of items while the text is not enough to search for. */
  hint?: string | false;
  /** Replaces the number of items where more is known: “Users 1–50 of 60”. */
  count?: string;
  /** What was done. */
  notice?: string;
  /** The name of an item: “user”. */
  singular: string;
}

/** A page of the dashboard that is a list: the heading, the tools, the rows and the pager. */
export function ListPage<Item>(props: Props<Item>) {
  const { title, actions, lead, search, beside, hint, count, notice, singular, ...rows } = props;
  const { list } = rows;
  return (
    <>
      <div class="heading">
        <h1 tabIndex={-1}>{title}</h1>
        {actions}
      </div>
      {lead && <p class="quiet lead">{lead}</p>}
      {search}
      <div class={search ? 'line' : 'tools'}>
        {beside}
        {hint ? (
          <p class="quiet status" role="status">
            {hint}
          </p>
        ) : (
          <ListStatus
            list={list}
            singular={singular}
            count={rows.isWhole ? wholeCount(list, singular) : count}
          />
        )}
      </div>
      <Messages notice={notice} />
      <Failure error={list.error} onRetry={list.retry} />
      {!list.items && list.isLoading && <Skeleton />}
      <ListRows {...rows} plural={`${singular}s`} />
    </>
  );
}

/** Where there are no other pages. Below it stands that there are none. */
const wholeCount = ({ items = [] }: ShownList<unknown>, singular: string) =>
  items.length > 0 ? countOf(items.length, singular) : '';

interface StatusProps {
  list: ShownList<unknown>;
  singular: string;
  plural?: string;
  count?: string;
}

/** Shows and announces the number of items on the page, and on later pages where they are in the list. */
export function ListStatus({ list, singular, plural, count }: StatusProps) {
  const { items = [], isLoading, error, range } = list;
  const shown =
    items.length === 0 ? `No ${plural ?? `${singular}s`}` : countOf(items.length, singular, plural);
  const where = range && !range.startsWith('1–') ? `: ${range}` : '';
  return (
    <p class="quiet status" role="status">
      {isLoading ? 'Loading …' : error === undefined ? (count ?? `${shown} on this page${where}`) : ''}
    </p>
  );
}
