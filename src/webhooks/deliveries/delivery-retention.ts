import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Background } from '../../background/background';
import { Database } from '../../database/database';
import { sql } from '../../database/sql';
import { EventHead } from '../../events/log/event-head.entity';
import { Webhook } from '../webhook/webhook.entity';
import { WebhookDelivery } from './delivery.entity';

const REMOVE_EVERY_MS = 60 * 60_000;
const DELIVERIES_PER_STATEMENT = 1_000;
const CUTOFF = sql`now() - interval '30 days'`;

/** Removes deliveries older than 30 days that are not pending, including those of deleted webhooks. */
@Injectable()
export class DeliveryRetention implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly background: Background,
  ) {}

  onModuleInit(): void {
    const run = (signal: AbortSignal) => this.removeOld(signal);
    this.background.add({ name: 'remove old deliveries', everyMs: REMOVE_EVERY_MS, run });
  }

  async removeOld(signal?: AbortSignal): Promise<void> {
    await this.database.forEachOrganization(
      'remove old deliveries',
      // Finds the oldest delivery of each organization by its index.
      (after, limit) => sql`
        SELECT organization_id AS id FROM ${EventHead} AS heads
        WHERE organization_id > ${after} AND (
          SELECT created_at FROM ${WebhookDelivery} AS deliveries WHERE deliveries.organization_id = heads.organization_id
          ORDER BY created_at LIMIT 1
        ) <= ${CUTOFF}
        ORDER BY organization_id LIMIT ${limit}`,
      async (organizationId) => {
        const old = sql`
          DELETE FROM ${WebhookDelivery} WHERE organization_id = ${organizationId} AND id = ANY (ARRAY(
            SELECT id FROM ${WebhookDelivery} AS deliveries
            WHERE organization_id = ${organizationId} AND created_at <= ${CUTOFF} AND (state <> 'pending' OR NOT EXISTS (
              SELECT FROM ${Webhook} AS webhooks WHERE webhooks.organization_id = ${organizationId} AND webhooks.id = deliveries.webhook_id))
            ORDER BY created_at LIMIT ${DELIVERIES_PER_STATEMENT}))`;
        while ((await this.database.execute(organizationId, old)) > 0) if (signal?.aborted) return;
      },
      signal,
    );
  }
}
