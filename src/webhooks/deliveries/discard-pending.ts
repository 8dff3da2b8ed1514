import type { EntityManager } from 'typeorm';
import { execute, sql } from '../../database/sql';
import type { Webhook } from '../webhook/webhook.entity';
import { WebhookDelivery } from './delivery.entity';
import { WebhookReplay } from './replay.entity';

/** Each statement stays within the server's time limit, also on a busy server. */
const DELIVERIES_PER_STATEMENT = 1_000;

/** Fails the pending deliveries of a webhook that is locked, and forgets the events that it should get again. */
export async function discardPending(
  manager: EntityManager,
  { organizationId, id: webhookId }: Webhook,
): Promise<void> {
  await manager.delete(WebhookReplay, { organizationId, webhookId });
  const pending = sql`organization_id = ${organizationId} AND webhook_id = ${webhookId} AND state = 'pending'`;
  const failSome = () =>
    execute(
      manager,
      sql`UPDATE ${WebhookDelivery} SET state = 'failed', next_attempt_at = NULL
          WHERE organization_id = ${organizationId} AND id = ANY (ARRAY(
            SELECT id FROM ${WebhookDelivery} WHERE ${pending} LIMIT ${DELIVERIES_PER_STATEMENT}))`,
    );
  let failed: number;
  do failed = await failSome();
  while (failed === DELIVERIES_PER_STATEMENT);
}
