import { CheckField } from '../../ui/field.tsx';
import { EVENT_GROUPS } from './event-groups.ts';
import { GroupField } from './group-field.tsx';
import type { useTypes } from './use-types.ts';

interface Props {
  types: ReturnType<typeof useTypes>;
  error?: string;
}

/** The events that are sent: all of them, or some of each group. */
export const EventsField = ({ types: { isAll, setIsAll, chosen, set }, error }: Props) => (
  <fieldset class="field" aria-describedby="types-error">
    <legend>Events</legend>
    <div class="event-groups">
      <CheckField
        checked={isAll}
        aria-invalid={error ? true : undefined}
        onChange={(event) => setIsAll(event.currentTarget.checked)}
      >
        <span class="name">All events</span> <span class="quiet">also kinds that are added later</span>
      </CheckField>
      {!isAll &&
        EVENT_GROUPS.map((group) => <GroupField key={group.key} group={group} chosen={chosen} onSet={set} />)}
    </div>
    <p class="error" id="types-error" role="alert">
      {error}
    </p>
  </fieldset>
);
