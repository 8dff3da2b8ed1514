import { eventAsJson } from '../../events/event/event.serializer';
import { serializeWebhook } from '../webhook/webhook.serializer';
import type { Attempt } from './attempt-outcome';
import { TEST_TYPE } from './delivery.entity';

/** The body of a delivery: the event as in the feed. Null if the event has been removed. */
export function payloadOf({ delivery, webhook, event }: Attempt): string | null {
  const isThin = webhook.payload === 'thin';
  if (delivery.type === TEST_TYPE) {
    const { data, ...test } = testEvent({ delivery, webhook });
    return JSON.stringify(isThin ? test : { ...test, data });
  }
  if (!event) return null;
  if (!isThin) return eventAsJson(event);
  const { data: _data, ...thin } = JSON.parse(eventAsJson({ ...event, data: null })) as { data: null };
  return JSON.stringify(thin);
}

/** A test event, which is not in the feed and so has no number. */
const testEvent = ({ delivery, webhook }: Omit<Attempt, 'event'>) => ({
  id: delivery.eventId,
  type: TEST_TYPE,
  occurredAt: delivery.createdAt,
  source: 'service',
  actor: { type: 'system', id: null, name: 'system' },
  target: { type: 'webhook', id: webhook.id },
  requestId: null,
  data: { webhook: serializeWebhook(webhook) },
});
