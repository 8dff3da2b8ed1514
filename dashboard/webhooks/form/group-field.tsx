import { useId, useState } from 'preact/hooks';
import { KINDS } from '../../activity/kinds.ts';
import { CheckField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { countIn, type EventGroup, partOf } from './event-groups.ts';

interface Props {
  group: EventGroup;
  chosen: ReadonlySet<string>;
  onSet(types: string[], isChosen: boolean): void;
}

/** A box for all events of a group, which opens to a box for each. */
export function GroupField({ group, chosen, onSet }: Props) {
  const { title, types } = group;
  const id = useId();
  const part = partOf(group, chosen);
  const [isOpen, setIsOpen] = useState(part === 'some');
  return (
    <div class="event-group">
      <div class="event-group-head">
        <CheckField
          checked={part === 'all'}
          indeterminate={part === 'some'}
          onChange={(event) => onSet(types, event.currentTarget.checked)}
        >
          <span class="name">{title}</span>{' '}
          <span class="quiet">
            {part === 'some' && `${countIn(types, chosen)} of `}
            {part === 'all' && 'all '}
            {types.length} events
          </span>
        </CheckField>
        <button
          type="button"
          class="plain small disclosure"
          aria-label={`Events: ${title}`}
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon name="next" />
        </button>
      </div>
      {isOpen && (
        <div id={id} class="event-list" role="group" aria-label={title}>
          {types.map((type) => (
            <CheckField
              key={type}
              checked={chosen.has(type)}
              onChange={(event) => onSet([type], event.currentTarget.checked)}
            >
              {KINDS[type]} <code class="quiet sub">{type}</code>
            </CheckField>
          ))}
        </div>
      )}
    </div>
  );
}
