import type { NewEvent } from '../../events/record-events';
import type { Caller } from '../../http/caller';
import type { WebhookFields } from './webhook.entity';
import { serializeWebhook } from './webhook.serializer';

type Happened = 'webhook.created' | 'webhook.deleted' | 'webhook.disabled';

/** An event of a webhook, with its record, which has no secret. */
export const webhookEvent = (by: Caller, type: Happened, webhook: WebhookFields): NewEvent => ({
  by,
  type,
  targetId: webhook.id,
  data: { webhook: serializeWebhook(webhook) },
});

/** `previous` has the former values of changed fields. It is empty for a new secret, which no event shows. */
export const webhookUpdated = (by: Caller, webhook: WebhookFields, previous: object): NewEvent => ({
  by,
  type: 'webhook.updated',
  targetId: webhook.id,
  data: { webhook: serializeWebhook(webhook), previous },
});
