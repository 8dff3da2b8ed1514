import type { Event } from '../../client/index.ts';
import { Fact, Facts } from '../ui/facts.tsx';
import { titleOf } from '../ui/field-title.ts';
import { type Column, Table } from '../ui/table.tsx';
import { FieldValue } from '../users/user/field-value.tsx';
import { type Change, changesOf } from './changes.ts';
import type { Named } from './kinds.ts';
import { recordIn, targetNameOf } from './sentence.ts';

interface Props {
  event: Event;
  onActor(token: Named): void;
  onTarget(target: Named): void;
}

/** Everything about an event: the values before and after, who, what, when, and links to related events. */
export function EntryDetails({ event, onActor, onTarget }: Props) {
  const { actor, target, data, requestId } = event;
  const { id, name } = actor;
  const replacement = event.type === 'token.rotated' ? recordIn(data, 'token') : undefined;
  const member = target.type === 'group' ? recordIn(data, 'user')?.id : undefined;
  return (
    <div class="stack">
      {data === null && <p class="quiet">The values were removed when the user was purged.</p>}
      <Changes changes={changesOf(event)} />
      <Facts>
        <Fact title="Time">
          <time dateTime={event.occurredAt}>{event.occurredAt}</time>
        </Fact>
        <Fact title="Done by">
          <bdi>{name}</bdi> {id !== null && <code>{id}</code>}
        </Fact>
        <Fact title={replacement ? 'Old token' : titleOf(target.type)}>
          <code>{target.id}</code>
        </Fact>
        {replacement && (
          <Fact title="New token">
            <code>{String(replacement.hint)}</code> <code>{String(replacement.id)}</code>
          </Fact>
        )}
        {typeof member === 'string' && (
          <Fact title="User">
            <code>{member}</code>
          </Fact>
        )}
        <Fact title="Event">
          Number {event.sequence} <code>{event.type}</code> <code>{event.id}</code>
        </Fact>
        {requestId !== null && (
          <Fact title="Request">
            <code>{requestId}</code>
          </Fact>
        )}
      </Facts>
      <div class="buttons">
        {id !== null && (
          <button type="button" class="small" onClick={() => onActor({ id, name })}>
            Only what this token did
          </button>
        )}
        {FILTERABLE.includes(target.type) && (
          <button
            type="button"
            class="small"
            onClick={() => onTarget({ id: target.id, name: targetNameOf(event) })}
          >
            Only what happened to this {target.type}
          </button>
        )}
      </div>
    </div>
  );
}

/** The fields that the API can filter by. */
const FILTERABLE: string[] = ['user', 'group', 'token'];

const FIELD: Column<Change> = { title: 'Field', class: 'main', value: ({ field }) => titleOf(field) };

const SIDES = [
  ['before', 'Before'],
  ['after', 'After'],
] as const;

/** A column for each side that has known values. */
function Changes({ changes }: { changes: Change[] }) {
  const sides = SIDES.filter(([side]) => changes.some((change) => change[side] !== undefined));
  if (sides.length === 0) return null;
  const columns = sides.map(([side, title]) => ({
    title,
    value: ({ field, [side]: value }: Change) => <FieldValue field={field} value={value} absent="none" />,
  }));
  return <Table caption="Values" columns={[FIELD, ...columns]} items={changes} />;
}
