import { useEffect, useState } from 'preact/hooks';
import { ApiError, type Page } from '../../client/index.ts';

export const SIZES = [50, 100, 200] as const;

/** The cursors of the pages up to the current one. The first page has no cursor. */
type Trail = (string | undefined)[];
const FIRST_PAGE: Trail = [undefined];

interface Result<Item> {
  requestKey: string;
  page?: Page<Item>;
  error?: unknown;
}

/**
 * A paginated list. `listKey` identifies its filter, order and page size. When it changes, the pending request is
 * aborted and the first page of the new list is fetched. The previous page stays until another one arrives.
 */
export function useList<Item>(
  listKey: string,
  fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>,
) {
  const [position, setPosition] = useState({ listKey, trail: FIRST_PAGE });
  const [attempt, setAttempt] = useState(0);
  const [result, setResult] = useState<Result<Item>>({ requestKey: '' });
  const trail = position.listKey === listKey ? position.trail : FIRST_PAGE;
  const goTo = (trail: Trail) => setPosition({ listKey, trail });
  if (position.listKey !== listKey) goTo(FIRST_PAGE);
  const requestKey = JSON.stringify([listKey, trail.at(-1), attempt]);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const finish = (result: Result<Item>) => {
      if (!signal.aborted) setResult(result);
    };
    fetchPage(trail.at(-1), signal).then(
      (page) => finish({ requestKey, page }),
      (error: unknown) => finish({ requestKey, error, page: result.page }),
    );
    return () => controller.abort();
  }, [requestKey]);

  const isLoading = result.requestKey !== requestKey;
  const isStale = isLoading || result.error !== undefined;
  const nextCursor = isStale ? undefined : result.page?.nextCursor; // the old page may be of another list
  const reload = () => setAttempt((attempt) => attempt + 1);
  return {
    items: result.page?.data,
    error: result.error,
    isLoading,
    /** Whether `items` are of an earlier request. */
    isStale,
    reload,
    /** Changes the items that are shown, until the list is fetched again. */
    map(change: (item: Item) => Item) {
      setResult((result) =>
        result.page ? { ...result, page: { ...result.page, data: result.page.data.map(change) } } : result,
      );
    },
    retry() {
      // A rejected cursor will be rejected again.
      if (result.error instanceof ApiError && result.error.status === 400) goTo(FIRST_PAGE);
      reload();
    },
    pageNumber: trail.length,
    toPrevious: trail.length > 1 ? () => goTo(trail.slice(0, -1)) : undefined,
    toNext: nextCursor ? () => goTo([...trail, nextCursor]) : undefined,
  };
}
