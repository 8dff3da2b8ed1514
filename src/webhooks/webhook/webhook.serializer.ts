import type { WebhookFields } from './webhook.entity';
import type { WebhookView } from './webhook.view';

export const serializeWebhook = (webhook: WebhookFields): WebhookView => ({
  id: webhook.id,
  url: webhook.url,
  types: webhook.types,
  description: webhook.description,
  enabled: webhook.enabled,
  payload: webhook.payload,
  ordering: webhook.ordering,
  disabledReason: webhook.disabledReason,
  createdAt: webhook.createdAt,
  updatedAt: webhook.updatedAt,
  lastSuccessAt: webhook.lastSuccessAt,
  failingSince: webhook.failingSince,
});
