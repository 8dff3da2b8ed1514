import type { NewEvent } from '../../events/record-events';
import type { Caller } from '../../http/caller';
import type { WebhookFields } from './webhook.entity';
import { serializeWebhook } from './webhook.serializer';

type Happened = 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.disabled';

/**
 * An event of a webhook, with its record, which has no secret. An update has the former values of the changed fields,
 * of which there are none if the secret is new.
 */
export const webhookEvent = (
  by: Caller,
  type: Happened,
  webhook: WebhookFields,
  former?: { previous: object },
): NewEvent => ({ by, type, targetId: webhook.id, data: { webhook: serializeWebhook(webhook), ...former } });
