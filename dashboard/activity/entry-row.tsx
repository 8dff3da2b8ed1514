import { useState } from 'preact/hooks';
import type { Event } from '../../client/index.ts';
import { Ago } from '../ui/time.tsx';
import { EntryDetails } from './entry-details.tsx';
import type { Named } from './kinds.ts';
import { sentenceOf } from './sentence.ts';

interface Props {
  event: Event;
  onActor(token: Named): void;
  onTarget(target: Named): void;
}

/** A sentence that opens to the details of the event. */
export function EntryRow({ event, onActor, onTarget }: Props) {
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
        {isOpen && <EntryDetails event={event} onActor={onActor} onTarget={onTarget} />}
      </details>
    </li>
  );
}
