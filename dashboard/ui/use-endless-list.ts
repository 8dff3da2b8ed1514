import { useState } from 'preact/hooks';
import type { Page } from '../../client/index.ts';
import { type Resource, useResource } from './use-resource.ts';
import { hasStatus } from './faults.ts';

export type EndlessList<Item> = ReturnType<typeof useEndlessList<Item>>;

/**
 * A list that grows page by page. `listKey` identifies its filter. When it changes, the pending request is aborted and
 * the first page of the new list is fetched; until it arrives, the old items stay.
 */
export function useEndlessList<Item>(
  listKey: string,
  fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>,
) {
  const [position, setPosition] = useState<{ listKey: string; cursor?: string }>({ listKey });
  if (position.listKey !== listKey) setPosition({ listKey });
  const cursor = position.listKey === listKey ? position.cursor : undefined;
  const pages: Resource<Page<Item>> = useResource(JSON.stringify([listKey, cursor]), async (signal) => {
    const earlier = cursor === undefined ? [] : (pages.value?.data ?? []);
    const { data, nextCursor } = await fetchPage(cursor, signal);
    return { data: [...earlier, ...data], nextCursor };
  });
  const { value: { data: items, nextCursor } = { data: [], nextCursor: null }, error, isLoading } = pages;
  const reload = () => {
    setPosition({ listKey });
    pages.reload();
  };
  return {
    items,
    error,
    isLoading,
    /** Whether `items` are of an earlier request. */
    isStale: (isLoading || error !== undefined) && cursor === undefined,
    /** Whether the last request was for the first page. */
    isFirst: cursor === undefined,
    /** Whether there are more items than these. */
    hasMore: nextCursor !== null,
    reload,
    /** Adds items that are newer than all of these. */
    prepend: (newer: Item[]) =>
      pages.change(({ data, nextCursor }) => ({ data: [...newer, ...data], nextCursor })),
    // A rejected cursor will be rejected again.
    retry: () => (hasStatus(error, 400) ? reload() : pages.reload()),
    /** Fetches the next page. Undefined while a request is in progress, and at the end. */
    toMore:
      isLoading || error !== undefined || nextCursor === null
        ? undefined
        : () => setPosition({ listKey, cursor: nextCursor }),
  };
}
