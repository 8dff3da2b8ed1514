import { useState } from 'preact/hooks';
import type { Delivery, Webhook } from '../../../client/index.ts';
import { useQuery } from '../../router/place.ts';
import { useSession } from '../../session/session.ts';
import { Failure } from '../../ui/failure.tsx';
import { countOf } from '../../ui/format.ts';
import { ListStatus } from '../../ui/list-page.tsx';
import { Messages } from '../../ui/messages.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Table } from '../../ui/table.tsx';
import { SIZES, useList } from '../../ui/use-list.ts';
import { deliveryColumns } from './delivery-columns.tsx';
import { DeliveryDetails } from './delivery-details.tsx';
import { SendFailedDialog } from './send-failed-dialog.tsx';

const STATES = { all: 'All', pending: 'Pending', delivered: 'Delivered', failed: 'Failed' };
type State = keyof typeof STATES;

const EMPTY: Record<State, string> = {
  all: 'Nothing has been sent yet.',
  pending: 'Nothing waits to be sent.',
  delivered: 'Nothing has been delivered yet.',
  failed: 'Nothing has failed.',
};

interface Props {
  webhook: Webhook;
  /** Called when the webhook may have changed, too. */
  onRefresh(): void;
}

/** What has been sent to a webhook or waits for it, with buttons to send a test and to send events again. */
export function Deliveries({ webhook, onRefresh }: Props) {
  const { client } = useSession();
  const [parameters, change] = useQuery();
  const asked = parameters.get('state') ?? '';
  const state = asked in STATES ? (asked as State) : 'all';
  const [failure, setFailure] = useState<unknown>();
  const [notice, setNotice] = useState('');
  const [opened, setOpened] = useState<string>();
  const [isSendingFailed, setIsSendingFailed] = useState(false);
  const list = useList(
    JSON.stringify([webhook.id, state]),
    (page, signal) =>
      client.webhooks
        .deliveries(webhook.id, { state: state === 'all' ? undefined : state, ...page }, { signal })
        .page(),
    { isPage: true },
  );
  const { items = [] } = list;
  const refresh = () => {
    list.reload();
    onRefresh();
  };
  const run = async (action: () => Promise<unknown>, outcome: string) => {
    setFailure(undefined);
    setNotice('');
    try {
      await action();
      setNotice(outcome);
      list.reload();
    } catch (error) {
      setFailure(error);
    }
  };
  const test = () => run(() => client.webhooks.test(webhook.id), 'A test is being sent.');
  const repeat = ({ eventId }: Delivery) =>
    void run(() => client.webhooks.redeliver(webhook.id, { eventId }), 'The event is being sent again.');
  const ifEnabled = (action: () => unknown) => ({
    'aria-disabled': !webhook.enabled,
    onClick: () => void (webhook.enabled && action()),
  });

  return (
    <Panel
      title="Deliveries"
      aside={
        <div class="buttons">
          <button type="button" {...ifEnabled(test)}>
            Send a test
          </button>
          <button type="button" {...ifEnabled(() => setIsSendingFailed(true))}>
            Send failed events again
          </button>
        </div>
      }
    >
      {!webhook.enabled && <p class="quiet">Nothing can be sent while the webhook is disabled.</p>}
      <div class="tools">
        <Segments
          legend="Filter deliveries by state"
          options={STATES}
          value={state}
          onValue={(state) => change({ state: state === 'all' ? undefined : state })}
        />
        <button type="button" onClick={refresh}>
          Refresh
        </button>
        <ListStatus list={list} singular="delivery" plural="deliveries" />
      </div>
      <Failure error={list.error} onRetry={list.retry} />
      {items.length > 0 && (
        <Table
          caption="Deliveries, newest first"
          columns={deliveryColumns(opened, setOpened)}
          items={items}
          busy={list.isLoading}
          stale={list.isStale}
          detailsOf={(delivery) =>
            delivery.id === opened ? (
              <DeliveryDetails delivery={delivery} webhook={webhook} onRepeat={() => repeat(delivery)} />
            ) : null
          }
        />
      )}
      {list.items?.length === 0 && !list.isStale && <p class="quiet">{EMPTY[state]}</p>}
      {(items.length >= SIZES[0] || list.toPrevious) && <Pager label="Pages of deliveries" list={list} />}
      <Messages notice={notice}>
        <Failure error={failure} />
      </Messages>
      {isSendingFailed && (
        <SendFailedDialog
          webhook={webhook}
          onClose={() => setIsSendingFailed(false)}
          onDone={(count) => {
            setIsSendingFailed(false);
            setNotice(count === 0 ? '' : `${countOf(count, 'event is', 'events are')} being sent again.`);
            refresh();
          }}
        />
      )}
    </Panel>
  );
}
