import { useEffect, useState } from 'preact/hooks';
import { ApiError, type Page } from '../../client/index.ts';

interface Request {
  listKey: string;
  /** Undefined for the first page. */
  cursor?: string;
  attempt: number;
}

interface Result<Item> {
  requestKey: string;
  items: Item[];
  nextCursor: string | null;
  error?: unknown;
}

/**
 * A list that grows page by page. `listKey` identifies its filter. When it changes, the pending request is aborted and
 * the first page of the new list is fetched; until it arrives, the old items stay.
 */
export function useEndlessList<Item>(
  listKey: string,
  fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>,
) {
  const [request, setRequest] = useState<Request>({ listKey, attempt: 0 });
  const [result, setResult] = useState<Result<Item>>({ requestKey: '', items: [], nextCursor: null });
  const reload = () => setRequest(({ attempt }) => ({ listKey, attempt: attempt + 1 }));
  if (request.listKey !== listKey) reload();
  const requestKey = JSON.stringify(request);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const finish = (result: Result<Item>) => {
      if (!signal.aborted) setResult(result);
    };
    const { cursor } = request;
    const earlier = cursor === undefined ? [] : result.items;
    fetchPage(cursor, signal).then(
      ({ data, nextCursor }) => finish({ requestKey, items: [...earlier, ...data], nextCursor }),
      (error: unknown) => finish({ requestKey, items: earlier, nextCursor: null, error }),
    );
    return () => controller.abort();
  }, [requestKey]);

  const { items, nextCursor, error } = result;
  const isLoading = result.requestKey !== requestKey;
  return {
    items,
    error,
    isLoading,
    /** Whether `items` are of an earlier request. */
    isStale: isLoading && request.cursor === undefined,
    reload,
    retry() {
      // A rejected cursor will be rejected again.
      if (error instanceof ApiError && error.status === 400) return reload();
      setRequest({ ...request, attempt: request.attempt + 1 });
    },
    /** Fetches the next page. Undefined while a request is in progress, and at the end. */
    toMore:
      isLoading || nextCursor === null ? undefined : () => setRequest({ ...request, cursor: nextCursor }),
  };
}
