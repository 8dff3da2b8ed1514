import { eventAsJson, withoutData } from '../../events/event/event.serializer';
import { serializeWebhook } from '../webhook/webhook.serializer';
import type { Attempt } from './attempt-outcome';
import { TEST_TYPE } from './delivery.entity';

/** The body of a delivery: the event as in the feed. Null if the event has been removed. */
export function payloadOf({ delivery, webhook, event }: Attempt): string | null {
  const isThin = webhook.payload === 'thin';
  if (delivery.type !== TEST_TYPE) {
    if (!event) return null;
    return isThin ? JSON.stringify(withoutData(event)) : eventAsJson(event);
  }
  return JSON.stringify({
    id: delivery.eventId,
    type: TEST_TYPE,
    occurredAt: delivery.createdAt,
    source: 'service',
    actor: { type: 'system', id: null, name: 'system' },
    target: { type: 'webhook', id: webhook.id },
    requestId: null,
    data: isThin ? undefined : { webhook: serializeWebhook(webhook) },
  });
}
