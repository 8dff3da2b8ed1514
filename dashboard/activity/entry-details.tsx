import type { Event } from '../../client/index.ts';
import { Facts } from '../ui/facts.tsx';
import { titleOf } from '../ui/format.ts';
import { type Column, Table } from '../ui/table.tsx';
import { FieldValue } from '../users/user/field-value.tsx';
import { absentIn, type Change, changesOf, isOfDirectory, titleOfChange } from './changes.ts';
import type { Named } from './kinds.ts';
import { recordIn, targetNameOf } from './sentence.ts';

interface Props {
  event: Event;
  onActor(token: Named): void;
  onTarget(target: Named): void;
}

/** Everything about an event: the values before and after, who, what, when, and links to related events. */
export function EntryDetails({ event, onActor, onTarget }: Props) {
  const { actor, target, data, requestId, onBehalfOf } = event;
  const { id, name } = actor;
  const replacement = event.type === 'token.rotated' ? recordIn(data, 'token') : undefined;
  const member = target.type === 'group' ? recordIn(data, 'user')?.id : undefined;
  return (
    <div class="stack">
      {data === null && <p class="quiet">The values were removed when the user was purged.</p>}
      <Changes changes={changesOf(event)} />
      <Facts
        facts={[
          ['Time', <time dateTime={event.occurredAt}>{event.occurredAt}</time>],
          [
            'Done by',
            <>
              <bdi>{name}</bdi> {id !== null && <code>{id}</code>}
            </>,
          ],
          [
            'On behalf of',
            !!onBehalfOf && (
              <>
                <bdi>{onBehalfOf}</bdi> <span class="quiet">as the caller says</span>
              </>
            ),
          ],
          [replacement ? 'Old token' : titleOf(target.type), <code>{target.id}</code>],
          [
            'New token',
            replacement !== undefined && (
              <>
                <code>{String(replacement.hint)}</code> <code>{String(replacement.id)}</code>
              </>
            ),
          ],
          ['User', typeof member === 'string' && <code>{member}</code>],
          [
            'Event',
            <>
              Number {event.sequence} <code>{event.type}</code> <code>{event.id}</code>
            </>,
          ],
          ['Request', requestId !== null && <code>{requestId}</code>],
        ]}
      />
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

const FIELD: Column<Change> = { title: 'Field', class: 'main', value: titleOfChange };

const SIDES = [
  ['before', 'Before'],
  ['after', 'After'],
] as const;

/** A column for each side that has known values. */
function Changes({ changes }: { changes: Change[] }) {
  const sides = SIDES.filter(([side]) => changes.some((change) => change[side] !== undefined));
  const columns = sides.map(([side, title]) => ({
    title,
    value: (change: Change) => (
      <FieldValue field={change.field} value={change[side]} absent={absentIn(change, side)} />
    ),
  }));
  return (
    <>
      {sides.length > 0 && <Table caption="Values" columns={[FIELD, ...columns]} items={changes} />}
      {changes.some(isOfDirectory) && (
        <p class="quiet">An event has only the former values of directory attributes.</p>
      )}
    </>
  );
}
