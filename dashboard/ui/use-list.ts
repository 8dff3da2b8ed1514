import { useEffect, useState } from 'preact/hooks';
import { ApiError, type Page } from '../../client/index.ts';
import { keepInPlace, usePlace } from '../router/place.ts';

export const SIZES = [50, 100, 200] as const;

/** The cursors of the pages up to the current one. The first page has no cursor. */
type Trail = (string | undefined)[];
const FIRST_PAGE: Trail = [undefined];

interface Position {
  listKey: string;
  trail: Trail;
}

interface Result<Item> {
  requestKey: string;
  page?: Page<Item>;
  /** The position of the page's first item in the whole list, from 0. */
  from?: number;
  error?: unknown;
}

interface Options {
  /** Whether the browser's history stores the position, so that Back shows the previous page of the list. */
  inHistory?: boolean;
  size?: number;
}

export type List<Item> = ReturnType<typeof useList<Item>>;

/**
 * A paginated list. `listKey` identifies its filter, order and page size. When it changes, the pending request is
 * aborted and the first page of the new list is fetched. The previous page stays until another one arrives.
 */
export function useList<Item>(
  listKey: string,
  fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>,
  { inHistory = false, size = 0 }: Options = {},
) {
  const kept = usePlace().state as Position | undefined;
  const [own, setOwn] = useState<Position>();
  const [attempt, setAttempt] = useState(0);
  const [result, setResult] = useState<Result<Item>>({ requestKey: '' });
  const position = inHistory ? kept : own;
  const trail = position?.listKey === listKey ? position.trail : FIRST_PAGE;
  const goTo = (trail: Trail) => (inHistory ? keepInPlace : setOwn)({ listKey, trail });
  const requestKey = JSON.stringify([listKey, trail.at(-1), attempt]);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const finish = (result: Result<Item>) => {
      if (!signal.aborted) setResult(result);
    };
    fetchPage(trail.at(-1), signal).then(
      (page) => finish({ requestKey, page, from: (trail.length - 1) * size }),
      (error: unknown) => finish({ requestKey, error, page: result.page, from: result.from }),
    );
    return () => controller.abort();
  }, [requestKey]);

  const isLoading = result.requestKey !== requestKey;
  const isStale = isLoading || result.error !== undefined;
  const nextCursor = isStale ? undefined : result.page?.nextCursor; // the old page may be of another list
  const reload = () => setAttempt((attempt) => attempt + 1);
  const changePage = (change: (items: Item[]) => Item[]) =>
    setResult((result) =>
      result.page ? { ...result, page: { ...result.page, data: change(result.page.data) } } : result,
    );
  return {
    items: result.page?.data,
    error: result.error,
    isLoading,
    /** Whether `items` are of an earlier request. */
    isStale,
    /** Whether there are pages after this one. */
    hasMore: nextCursor !== null && nextCursor !== undefined,
    /** The positions of the items in the whole list: “51–100”. Empty while there are none. */
    range: rangeOf(result),
    reload,
    /** Changes the items that are shown, until the list is fetched again. */
    map: (change: (item: Item) => Item) => changePage((items) => items.map(change)),
    /** Removes items that are gone, until the list is fetched again. */
    drop: (isGone: (item: Item) => boolean) => changePage((items) => items.filter((item) => !isGone(item))),
    retry() {
      // A rejected cursor will be rejected again.
      if (result.error instanceof ApiError && result.error.status === 400) goTo(FIRST_PAGE);
      reload();
    },
    toPrevious: trail.length > 1 ? () => goTo(trail.slice(0, -1)) : undefined,
    toNext: nextCursor ? () => goTo([...trail, nextCursor]) : undefined,
  };
}

function rangeOf<Item>({ page, from = 0 }: Result<Item>): string {
  const length = page?.data.length ?? 0;
  return length === 0 ? '' : `${count.format(from + 1)}–${count.format(from + length)}`;
}

const count = new Intl.NumberFormat('en');
