import { useState } from 'preact/hooks';
import type { Delivery, Webhook } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { Dialog, DoneButton } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { ListStatus } from '../ui/list-status.tsx';
import { Pager } from '../ui/pager.tsx';
import { ACTIONS, Cell, Row, Table } from '../ui/table.tsx';
import { Ago, Until } from '../ui/time.tsx';
import { SIZES, useList } from '../ui/use-list.ts';
import { nameOf } from './name-of.ts';

/** The deliveries of a webhook, with buttons to send a test and to send events again. */
export function DeliveriesDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const { client } = useSession();
  const [size, setSize] = useState<number>(SIZES[0]);
  const [failure, setFailure] = useState<unknown>();
  const [sent, setSent] = useState('');
  const list = useList(JSON.stringify([webhook.id, size]), (cursor, signal) =>
    client.webhooks.deliveries(webhook.id, { limit: size, cursor }, { signal }).page(),
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

  return (
    <Dialog title={`Deliveries to ${nameOf(webhook)}`} onClose={onClose}>
      <div class="tools">
        <button
          type="button"
          aria-disabled={!webhook.enabled}
          onClick={() =>
            webhook.enabled && void run(() => client.webhooks.test(webhook.id), 'A test is being sent.')
          }
        >
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
      {list.items && list.items.length > 0 && (
        <Table
          caption="Deliveries, newest first"
          columns={['Event', 'State', 'Attempts', 'Next attempt', ACTIONS]}
          busy={list.isLoading}
          stale={list.isStale}
        >
          {list.items.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              onRepeat={
                webhook.enabled && delivery.type !== 'webhook.test'
                  ? () =>
                      void run(
                        () => client.webhooks.redeliver(webhook.id, { eventId: delivery.eventId }),
                        'The event is being sent again.',
                      )
                  : undefined
              }
            />
          ))}
        </Table>
      )}
      {list.items?.length === 0 && !list.isStale && <p class="empty">Nothing has been sent yet.</p>}
      <Pager label="Pages of deliveries" list={list} size={size} onSize={setSize} />
      <div class="buttons">
        <DoneButton />
      </div>
    </Dialog>
  );
}

const CHIPS = { pending: 'chip warning', delivered: 'chip', failed: 'chip' };

const DeliveryRow = ({ delivery, onRepeat }: { delivery: Delivery; onRepeat?(): void }) => (
  <Row>
    <Cell class="main">
      <code>{delivery.type}</code>
      <span class="quiet sub">
        <Ago iso={delivery.createdAt} />
      </span>
    </Cell>
    <Cell label="State">
      <span class={CHIPS[delivery.state]}>{delivery.state}</span>
      {delivery.lastStatus !== null && <span class="quiet sub">Status {delivery.lastStatus}</span>}
    </Cell>
    <Cell label="Attempts">{delivery.attempts}</Cell>
    <Cell label="Next attempt">
      {delivery.nextAttemptAt ? <Until iso={delivery.nextAttemptAt} /> : <span class="quiet">None</span>}
    </Cell>
    <Cell class="actions">
      {onRepeat && (
        <button
          type="button"
          class="plain small"
          aria-label={`Send again: ${delivery.type}`}
          onClick={onRepeat}
        >
          Send again
        </button>
      )}
    </Cell>
  </Row>
);
