import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Event } from '../../client/index.ts';
import { Ago } from '../ui/time.tsx';
import type { EndlessList } from '../ui/use-endless-list.ts';
import { EntryDetails } from './entry-details.tsx';
import type { Named } from './kinds.ts';
import { sentenceOf } from './sentence.ts';

interface Targets {
  onActor(token: Named): void;
  onTarget(target: Named): void;
}

interface Props extends Targets {
  label: string;
  list: EndlessList<Event>;
}

/** The loaded events of a list, and a function that fetches older ones: the first of these gets the focus. */
export function useEntries({ label, list, ...targets }: Props) {
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
        <EntryRow key={event.id} event={event} {...targets} />
      ))}
    </ol>
  );
  return { entries, showOlder };
}

/** A sentence that opens to the details of the event. */
function EntryRow({ event, ...targets }: Targets & { event: Event }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li>
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>
          <span>
            {sentenceOf(event).map((part) =>
              typeof part === 'string' ? part : <bdi class="name">{part.name}</bdi>,
            )}
          </span>{' '}
          <span class="quiet">
            <Ago iso={event.occurredAt} />
          </span>
        </summary>
        {isOpen && <EntryDetails event={event} {...targets} />}
      </details>
    </li>
  );
}
