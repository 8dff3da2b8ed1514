import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventHead } from '../../events/log/event-head.entity';
import { Background } from '../../platform/background/background';
import { sql } from '../../platform/database/sql';
import { Webhook } from '../webhook/webhook.entity';
import { WebhookDelivery } from './delivery.entity';

const REMOVE_EVERY_MS = 60 * 60_000;
const CUTOFF = sql`now() - interval '30 days'`;

/** Removes deliveries older than 30 days that are not pending, including those of deleted webhooks. */
@Injectable()
export class DeliveryRetention implements OnModuleInit {
  constructor(private readonly background: Background) {}

  onModuleInit(): void {
    this.background.removeOld({
      name: 'remove old deliveries',
      everyMs: REMOVE_EVERY_MS,
      // Finds the oldest delivery of each organization by its index.
      organizations: (after, limit) => sql`
        SELECT organization_id AS id FROM ${EventHead} AS heads
        WHERE organization_id > ${after} AND (
          SELECT created_at FROM ${WebhookDelivery} AS deliveries WHERE deliveries.organization_id = heads.organization_id
          ORDER BY created_at LIMIT 1
        ) <= ${CUTOFF}
        ORDER BY organization_id LIMIT ${limit}`,
      statement: (organizationId, limit) => sql`
        DELETE FROM ${WebhookDelivery} WHERE organization_id = ${organizationId} AND id = ANY (ARRAY(
          SELECT id FROM ${WebhookDelivery} AS deliveries
          WHERE organization_id = ${organizationId} AND created_at <= ${CUTOFF} AND (state <> 'pending' OR NOT EXISTS (
            SELECT FROM ${Webhook} AS webhooks WHERE webhooks.organization_id = ${organizationId} AND webhooks.id = deliveries.webhook_id))
          ORDER BY created_at LIMIT ${limit}))`,
    });
  }
}
