import { useState } from 'preact/hooks';
import type { Delivery, Webhook } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { Dialog, DoneButton } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { ListRows, ListStatus } from '../ui/list-page.tsx';
import { ACTIONS, type Column } from '../ui/table.tsx';
import { Ago, Until } from '../ui/time.tsx';
import { useList } from '../ui/use-list.ts';
import { nameOf } from './name-of.ts';

/** The deliveries of a webhook, with buttons to send a test and to send events again. */
export function DeliveriesDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const { client } = useSession();
  const [failure, setFailure] = useState<unknown>();
  const [sent, setSent] = useState('');
  const list = useList(webhook.id, (page, signal) =>
    client.webhooks.deliveries(webhook.id, page, { signal }).page(),
  );
  const run = async (action: () => Promise<unknown>, outcome: string) => {
    setFailure(undefined);
    setSent('');
    try {
      await action();
      setSent(outcome);
      list.reload();
    } catch (error) {
      setFailure(error);
    }
  };
  const test = () => run(() => client.webhooks.test(webhook.id), 'A test is being sent.');
  const repeat = ({ eventId }: Delivery) =>
    void run(() => client.webhooks.redeliver(webhook.id, { eventId }), 'The event is being sent again.');

  return (
    <Dialog title={`Deliveries to ${nameOf(webhook)}`} onClose={onClose}>
      <div class="tools">
        <button type="button" aria-disabled={!webhook.enabled} onClick={() => webhook.enabled && void test()}>
          Send a test
        </button>
        <button type="button" onClick={list.reload}>
          Refresh
        </button>
        <ListStatus list={list} singular="delivery" plural="deliveries" />
      </div>
      <p class="quiet" role="status">
        {sent}
      </p>
      <Failure error={failure ?? list.error} onRetry={failure === undefined ? list.retry : undefined} />
      <ListRows
        list={list}
        plural="deliveries"
        caption="Deliveries, newest first"
        columns={columnsOf(webhook, repeat)}
        empty="Nothing has been sent yet."
      />
      <div class="buttons">
        <DoneButton />
      </div>
    </Dialog>
  );
}

const CHIPS = { pending: 'chip warning', delivered: 'chip', failed: 'chip' };

const columnsOf = ({ enabled }: Webhook, repeat: (delivery: Delivery) => void): Column<Delivery>[] => [
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
    value: ({ state, lastStatus }) => (
      <>
        <span class={CHIPS[state]}>{state}</span>
        {lastStatus !== null && <span class="quiet sub">Status {lastStatus}</span>}
      </>
    ),
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
      delivery.type !== 'webhook.test' && (
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
