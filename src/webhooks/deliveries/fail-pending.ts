import type { EntityManager } from 'typeorm';
import { execute, sql } from '../../database/sql';
import type { Webhook } from '../webhook/webhook.entity';
import { WebhookDelivery } from './delivery.entity';
import { WebhookReplay } from './replay.entity';

/** Fails the pending deliveries of a webhook that is switched off. */
export async function failPending(
  manager: EntityManager,
  { organizationId, id: webhookId }: Pick<Webhook, 'organizationId' | 'id'>,
): Promise<void> {
  await execute(
    manager,
    sql`UPDATE ${WebhookDelivery} SET state = 'failed', next_attempt_at = NULL
        WHERE organization_id = ${organizationId} AND webhook_id = ${webhookId} AND state = 'pending'`,
  );
  await manager.delete(WebhookReplay, { organizationId, webhookId });
}
