import type { Delivery, Event, Webhook } from '../../../client/index.ts';
import { sentenceOf } from '../../activity/sentence.ts';
import { Link } from '../../router/link.tsx';
import { useSession } from '../../session/session.ts';
import { CopyId } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { hasStatus } from '../../ui/faults.ts';
import { Moment, Until } from '../../ui/time.tsx';
import { useResource } from '../../ui/use-resource.ts';
import { TEST_TYPE } from './failed-events.ts';
import { outcomeOf } from './outcome-of.ts';

interface Props {
  delivery: Delivery;
  webhook: Webhook;
  onRepeat(): void;
}

/** Everything about a delivery, and a button that sends its event again. */
export function DeliveryDetails({ delivery, webhook, onRepeat }: Props) {
  const { type, eventId, createdAt, nextAttemptAt } = delivery;
  const isTest = type === TEST_TYPE;
  return (
    <div class="stack delivery">
      <Facts
        facts={[
          ['Last try', outcomeOf(delivery)],
          ['Next try', nextAttemptAt !== null && <Until iso={nextAttemptAt} />],
          ['Event', !isTest && <What eventId={eventId} />],
          ['Type', <code>{type}</code>],
          ['Due', <Moment iso={createdAt} />],
          ['Event ID', <CopyId id={eventId} />],
        ]}
      />
      {webhook.enabled && !isTest && (
        <button type="button" class="small" onClick={onRepeat}>
          Send again
        </button>
      )}
    </div>
  );
}

/** What has happened, in a sentence that leads to the page of what it is about. */
function What({ eventId }: { eventId: string }) {
  const { client } = useSession();
  const { value, error, reload } = useResource(eventId, (signal) => client.events.get(eventId, { signal }));
  if (hasStatus(error, 404)) return <span class="quiet">The event is kept no longer.</span>;
  if (error !== undefined) return <Failure error={error} onRetry={reload} />;
  if (!value) return <span class="quiet">Loading …</span>;
  const sentence = sentenceOf(value).map((part) =>
    typeof part === 'string' ? part : <bdi>{part.name}</bdi>,
  );
  const page = pageOf(value);
  return page ? <Link to={page}>{sentence}</Link> : <>{sentence}</>;
}

const PAGES: Record<string, string> = {
  user: 'users',
  token: 'tokens',
  group: 'groups',
  webhook: 'webhooks',
};

const pageOf = ({ target: { type, id } }: Event) => (type in PAGES ? `${PAGES[type]}/${id}` : undefined);
