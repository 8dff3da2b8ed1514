import { WEBHOOK_FIELDS, type WebhookFields } from './webhook.entity';
import type { WebhookView } from './webhook.view';

/** Shows the fields for callers, and nothing else of the row. */
export const serializeWebhook = (webhook: WebhookFields): WebhookView =>
  Object.fromEntries(WEBHOOK_FIELDS.map((field) => [field, webhook[field]])) as WebhookFields;
