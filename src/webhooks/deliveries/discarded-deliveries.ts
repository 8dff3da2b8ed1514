import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Background } from '../../platform/background/background';
import { sql } from '../../platform/database/sql';
import { Webhook } from '../webhook/webhook.entity';
import { WebhookDelivery } from './delivery.entity';
import { failSql } from './pending';

const EVERY_MS = 30_000;

/** Fails the pending deliveries of disabled webhooks that were too many to be discarded with the change. */
@Injectable()
export class DiscardedDeliveries implements OnModuleInit {
  constructor(private readonly background: Background) {}

  onModuleInit(): void {
    this.background.removeOld({
      name: 'discard the deliveries of disabled webhooks',
      everyMs: EVERY_MS,
      organizations: (after, limit) => sql`
        SELECT DISTINCT organization_id AS id FROM ${Webhook} AS webhooks
        WHERE organization_id > ${after} AND NOT enabled AND (
          -- Not EXISTS, for which the planner may read the pending deliveries of all webhooks.
          SELECT true FROM ${WebhookDelivery} AS deliveries WHERE deliveries.organization_id = webhooks.organization_id
            AND webhook_id = webhooks.id AND state = 'pending' ORDER BY next_attempt_at LIMIT 1)
        ORDER BY organization_id LIMIT ${limit}`,
      statement: (organizationId, limit) =>
        failSql(
          organizationId,
          sql`SELECT deliveries.id FROM ${WebhookDelivery} AS deliveries
              JOIN ${Webhook} AS webhooks ON webhooks.organization_id = ${organizationId} AND webhooks.id = webhook_id
              WHERE deliveries.organization_id = ${organizationId} AND state = 'pending' AND NOT enabled
              LIMIT ${limit}`,
        ),
    });
  }
}
