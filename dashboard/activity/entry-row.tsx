import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Event } from '../../client/index.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { EntryDetails } from './entry-details.tsx';
import type { Named } from './kinds.ts';
import { Sentence } from './named.tsx';
import { runSentenceOf } from './run-sentence.ts';
import { type Part, sentenceOf } from './sentence.ts';
import type { Row } from './timeline.ts';
import { HoursBetween, TimeOfDay } from './times.tsx';
import type { Names } from './use-names.ts';

export interface Targets {
  names: Names;
  onActor(token: Named): void;
  onTarget(target: Named): void;
}

interface Props extends Targets {
  row: Row;
  /** Whether older entries, which are not loaded, may belong to it. */
  isOpenEnded: boolean;
}

/** An entry, or several of the same action in one row, which opens to the single ones. */
export function EntryRow({ row, isOpenEnded, ...targets }: Props) {
  const [event] = row;
  if (row.length === 1) return <SingleRow event={event} {...targets} />;
  const parts = runSentenceOf(row, targets.names.nameOf, isOpenEnded);
  const when = <HoursBetween first={row.at(-1)!.occurredAt} last={event.occurredAt} />;
  return (
    <OpeningRow event={event} parts={parts} names={targets.names} when={when}>
      <ol role="list" class="entries">
        {row.map((event) => (
          <SingleRow key={event.id} event={event} {...targets} />
        ))}
      </ol>
    </OpeningRow>
  );
}

const SingleRow = ({ event, ...targets }: Targets & { event: Event }) => (
  <OpeningRow
    event={event}
    parts={sentenceOf(event, targets.names.nameOf)}
    names={targets.names}
    when={<TimeOfDay iso={event.occurredAt} />}
  >
    <EntryDetails event={event} {...targets} />
  </OpeningRow>
);

const ICONS: Record<string, IconName> = {
  user: 'users',
  group: 'groups',
  token: 'tokens',
  webhook: 'webhooks',
};

interface OpeningProps {
  event: Event;
  parts: Part[];
  names: Names;
  when: ComponentChildren;
  children: ComponentChildren;
}

/** A sentence that opens to what is behind it, by its button or by a click anywhere but on a name. */
function OpeningRow({ event, parts, names, when, children }: OpeningProps) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li>
      <div
        class="entry"
        onClick={({ target }) => (target as Element).closest('a') || setIsOpen((isOpen) => !isOpen)}
      >
        <Icon name={ICONS[event.target.type] ?? 'settings'} />
        <Sentence id={id} parts={parts} names={names} /> <span class="quiet when">{when}</span>
        <button type="button" class="plain opener" aria-expanded={isOpen} aria-labelledby={id} />
      </div>
      {isOpen && <div class="opened">{children}</div>}
    </li>
  );
}
