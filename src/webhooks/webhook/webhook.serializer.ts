import type { NewEvent } from '../../events/record-events';
import type { Caller } from '../../platform/http/caller';
import { WEBHOOK_FIELDS, type WebhookFields } from './webhook.entity';
import type { WebhookView } from './webhook.view';

/** Shows the fields for callers, and nothing else of the row. */
export const serializeWebhook = (webhook: WebhookFields): WebhookView =>
  Object.fromEntries(WEBHOOK_FIELDS.map((field) => [field, webhook[field]])) as WebhookFields;

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
