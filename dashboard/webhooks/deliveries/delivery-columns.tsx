import type { Delivery } from '../../../client/index.ts';
import { formatDuration } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import type { Column } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { eventName } from './event-name.ts';
import { resultOf } from './outcome-of.ts';

/** `opened` is the id of the delivery whose details are shown. */
export const deliveryColumns = (
  opened: string | undefined,
  onOpen: (id: string | undefined) => void,
): Column<Delivery>[] => [
  {
    title: 'Event',
    class: 'main',
    value: ({ id, type }) => (
      <button
        type="button"
        class="plain disclosure"
        aria-expanded={id === opened}
        onClick={() => onOpen(id === opened ? undefined : id)}
      >
        <Icon name="next" />
        {eventName(type)}
      </button>
    ),
  },
  {
    title: 'State',
    value: (delivery) => (
      <span>
        <span class={`state ${delivery.state}`}>{delivery.state}</span>{' '}
        <span class="quiet">{resultOf(delivery)}</span>
      </span>
    ),
  },
  { title: 'Tries', value: ({ attempts }) => attempts },
  { title: 'When', value: ({ createdAt }) => <Ago iso={createdAt} /> },
  {
    title: 'Duration',
    value: ({ lastDurationMs: ms }) => (ms === null ? <span class="quiet">–</span> : formatDuration(ms)),
  },
];
