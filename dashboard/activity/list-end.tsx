import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Event } from '../../client/index.ts';
import type { EndlessList } from '../ui/use-endless-list.ts';

interface Props {
  list: EndlessList<Event>;
  isFiltered: boolean;
  olderRef: RefObject<HTMLButtonElement | null>;
  onOlder(): void;
  onClear(): void;
}

/** What is below the last entry: the button for older ones, or that there are none, or that there is nothing at all. */
export function ListEnd({ list, isFiltered, olderRef, onOlder, onClear }: Props) {
  const { items, hasMore, isLoading, error } = list;
  if (items.length === 0 && (isLoading || error !== undefined)) return null;
  if (items.length === 0 && !hasMore)
    return (
      <div class="empty">
        {isFiltered ? <p>Nothing matches these filters.</p> : <Nothing />}
        {isFiltered && (
          <button type="button" onClick={onClear}>
            Clear filters
          </button>
        )}
      </div>
    );
  return <OlderOrEnd hasMore={hasMore} olderRef={olderRef} onOlder={onOlder} />;
}

const Nothing = () => (
  <>
    <p class="strong">Nothing has happened yet</p>
    <p>When somebody creates, changes or deletes something, it is told here.</p>
  </>
);

/** Keeps the focus where it is if the button goes while it has it. */
function OlderOrEnd({
  hasMore,
  olderRef,
  onOlder,
}: Pick<Props, 'olderRef' | 'onOlder'> & { hasMore: boolean }) {
  const end = useRef<HTMLParagraphElement>(null);
  const hadFocus = olderRef.current !== null && document.activeElement === olderRef.current;
  useLayoutEffect(() => {
    if (!hasMore && hadFocus) end.current?.focus();
  }, [hasMore]);
  if (!hasMore)
    return (
      <p class="quiet end" ref={end} tabIndex={-1}>
        That is everything.
      </p>
    );
  return (
    <div class="end">
      <button type="button" ref={olderRef} onClick={onOlder}>
        Show older entries
      </button>
    </div>
  );
}
