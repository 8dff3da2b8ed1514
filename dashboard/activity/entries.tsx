import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Event } from '../../client/index.ts';
import type { EndlessList } from '../ui/use-endless-list.ts';
import { EntryRow } from './entry-row.tsx';
import type { Named } from './kinds.ts';

interface Props {
  label: string;
  list: EndlessList<Event>;
  onActor(token: Named): void;
  onTarget(target: Named): void;
}

/** The loaded events of a list, and a function that fetches older ones: the first of these gets the focus. */
export function useEntries({ label, list, onActor, onTarget }: Props) {
  const { items, isLoading, isStale, toMore } = list;
  const ref = useRef<HTMLOListElement>(null);
  const pressedAt = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    if (pressedAt.current === undefined) return;
    ref.current?.querySelectorAll('summary')[pressedAt.current]?.focus();
    pressedAt.current = undefined;
  }, [items]);
  const showOlder = () => {
    pressedAt.current = items.length;
    toMore?.();
  };
  const entries = items.length > 0 && (
    <ol
      role="list"
      aria-label={label}
      aria-busy={isLoading}
      ref={ref}
      class={isStale ? 'entries stale' : 'entries'}
    >
      {items.map((event) => (
        <EntryRow key={event.id} event={event} onActor={onActor} onTarget={onTarget} />
      ))}
    </ol>
  );
  return { entries, showOlder };
}
