import { useState } from 'preact/hooks';
import type { Page } from '../../client/index.ts';
import { keepInPlace, usePlace, useQuery } from '../router/place.ts';
import { useResource } from './use-resource.ts';
import { hasStatus } from './faults.ts';
import { formatCount } from './format.ts';

export const SIZES = [50, 100, 200] as const;

/** The cursors of the pages up to the current one. The first page has no cursor. */
type Trail = (string | undefined)[];
const FIRST_PAGE: Trail = [undefined];

interface Position {
  listKey: string;
  trail: Trail;
}

interface ShownPage<Item> extends Page<Item> {
  /** The position of its first item in the whole list, from 0. */
  from: number;
}

interface Options {
  /**
   * Whether the list is the page itself: the address has the number of rows, and the browser's history the position, so
   * that Back shows the previous page of the list.
   */
  isPage?: boolean;
}

export type List<Item> = ReturnType<typeof useList<Item>>;

/**
 * A paginated list. `filterKey` identifies its filter and order. When it or the page size changes, the pending request
 * is aborted and the first page of the new list is fetched. The previous page stays until another one arrives.
 */
export function useList<Item>(
  filterKey: string,
  fetchPage: (page: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<Page<Item>>,
  { isPage = false }: Options = {},
) {
  const [parameters, changeQuery] = useQuery();
  const [ownSize, setOwnSize] = useState<number>(SIZES[0]);
  const rows = isPage ? Number(parameters.get('rows')) : ownSize;
  const size = SIZES.find((size) => size === rows) ?? SIZES[0];
  const listKey = JSON.stringify([filterKey, size]);

  const kept = usePlace().state as Position | undefined;
  const [own, setOwn] = useState<Position>();
  const position = isPage ? kept : own;
  const trail = position?.listKey === listKey ? position.trail : FIRST_PAGE;
  const goTo = (trail: Trail) => (isPage ? keepInPlace : setOwn)({ listKey, trail });
  const cursor = trail.at(-1);
  const page = useResource<ShownPage<Item>>(JSON.stringify([listKey, cursor]), async (signal) => ({
    ...(await fetchPage({ limit: size, cursor }, signal)),
    from: (trail.length - 1) * size,
  }));
  const isStale = page.isLoading || page.error !== undefined;
  const nextCursor = isStale ? undefined : page.value?.nextCursor; // the old page may be of another list
  return {
    items: page.value?.data,
    error: page.error,
    isLoading: page.isLoading,
    /** Whether `items` are of an earlier request. */
    isStale,
    /** The positions of the items in the whole list: “51–100”. Empty while there are none. */
    range: rangeOf(page.value),
    /** The position after the last item of the page. */
    end: page.value ? page.value.from + page.value.data.length : 0,
    size,
    setSize: (size: number) => (isPage ? changeQuery({ rows: String(size) }) : setOwnSize(size)),
    reload: page.reload,
    /** Changes the items that are shown, until the list is fetched again. */
    change: (change: (items: Item[]) => Item[]) =>
      page.change((value) => ({ ...value, data: change(value.data) })),
    retry() {
      // A rejected cursor will be rejected again.
      if (hasStatus(page.error, 400)) goTo(FIRST_PAGE);
      page.reload();
    },
    toPrevious: trail.length > 1 ? () => goTo(trail.slice(0, -1)) : undefined,
    toNext: nextCursor ? () => goTo([...trail, nextCursor]) : undefined,
  };
}

function rangeOf<Item>(page: ShownPage<Item> | undefined): string {
  if (!page || page.data.length === 0) return '';
  return `${formatCount(page.from + 1)}–${formatCount(page.from + page.data.length)}`;
}
