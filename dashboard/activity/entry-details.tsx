import type { Event } from '../../client/index.ts';
import { Facts } from '../ui/facts.tsx';
import { titleOf } from '../ui/format.ts';
import { type Column, Table } from '../ui/table.tsx';
import { ChangedValue } from './changed-value.tsx';
import { type Change, changesOf, isOfDirectory, titleOfChange } from './changes.ts';
import type { Named as Filtered } from './kinds.ts';
import { Named } from './named.tsx';
import { recordIn, targetNameOf } from './sentence.ts';
import { WholeTime } from './times.tsx';
import type { Names } from './use-names.ts';

interface Props {
  event: Event;
  names: Names;
  onActor(token: Filtered): void;
  onTarget(target: Filtered): void;
}

/** Everything about an event: the values before and after, who, what, when, and links to related events. */
export function EntryDetails({ event, names, onActor, onTarget }: Props) {
  const { actor, target, data, requestId, onBehalfOf } = event;
  const { id, name } = actor;
  const targetName = targetNameOf(event);
  const replacement = event.type === 'token.rotated' ? recordIn(data, 'token') : undefined;
  return (
    <div class="stack">
      {data === null && <p class="quiet">The values were removed when the user was purged.</p>}
      <Changes changes={changesOf(event)} names={names} />
      <Facts
        facts={[
          ['Time', <WholeTime iso={event.occurredAt} />],
          [
            'Done by',
            <>
              <Named name={name} id={id ?? undefined} names={names} />
              {id !== null && <Id id={id} />}
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
          [
            replacement ? 'Old token' : titleOf(target.type),
            <>
              {targetName !== target.id && <Named name={targetName} id={target.id} names={names} />}
              <Id id={target.id} />
            </>,
          ],
          [
            'New token',
            replacement !== undefined && (
              <>
                <Named name={String(replacement.hint)} id={String(replacement.id)} names={names} />
                <Id id={String(replacement.id)} />
              </>
            ),
          ],
          [
            'Event',
            <>
              Number {event.sequence} <code>{event.type}</code>
              <Id id={event.id} />
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
          <button type="button" class="small" onClick={() => onTarget({ id: target.id, name: targetName })}>
            Only what happened to this {target.type}
          </button>
        )}
      </div>
    </div>
  );
}

const Id = ({ id }: { id: string }) => (
  <>
    {' '}
    <code class="quiet">{id}</code>
  </>
);

/** The fields that the API can filter by. */
const FILTERABLE: string[] = ['user', 'group', 'token', 'webhook'];

const FIELD: Column<Change> = { title: 'Field', class: 'main', value: titleOfChange };

const SIDES = [
  ['before', 'Before'],
  ['after', 'After'],
] as const;

/** A column for each side that has known values. */
function Changes({ changes, names }: { changes: Change[]; names: Names }) {
  const sides = SIDES.filter(([side]) => changes.some((change) => change[side] !== undefined));
  const columns = sides.map(([side, title]) => ({
    title,
    value: (change: Change) => <ChangedValue field={change.field} value={change[side]} names={names} />,
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
