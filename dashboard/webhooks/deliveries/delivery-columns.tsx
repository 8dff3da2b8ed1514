import type { Delivery, Webhook } from '../../client/index.ts';
import { formatDuration } from '../ui/format.ts';
import { ACTIONS, type Column } from '../ui/table.tsx';
import { Ago, Until } from '../ui/time.tsx';
import { outcomeOf } from './outcome-of.ts';
import { TEST_TYPE } from './failed-events.ts';

const CHIPS = { pending: 'chip warning', delivered: 'chip', failed: 'chip' };

export const deliveryColumns = (
  { enabled }: Webhook,
  repeat: (delivery: Delivery) => void,
): Column<Delivery>[] => [
  {
    title: 'Event',
    class: 'main',
    value: ({ type, createdAt }) => (
      <>
        <code>{type}</code>
        <span class="quiet sub">
          <Ago iso={createdAt} />
        </span>
      </>
    ),
  },
  {
    title: 'State',
    value: (delivery) => (
      <>
        <span class={CHIPS[delivery.state]}>{delivery.state}</span>
        <span class="quiet sub">{outcomeOf(delivery)}</span>
      </>
    ),
  },
  {
    title: 'Duration',
    value: ({ lastDurationMs: ms }) => (ms === null ? <span class="quiet">None</span> : formatDuration(ms)),
  },
  { title: 'Attempts', value: ({ attempts }) => attempts },
  {
    title: 'Next attempt',
    value: ({ nextAttemptAt: at }) => (at ? <Until iso={at} /> : <span class="quiet">None</span>),
  },
  {
    ...ACTIONS,
    value: (delivery) =>
      enabled &&
      delivery.type !== TEST_TYPE && (
        <button
          type="button"
          class="plain small"
          aria-label={`Send again: ${delivery.type}`}
          onClick={() => repeat(delivery)}
        >
          Send again
        </button>
      ),
  },
];
