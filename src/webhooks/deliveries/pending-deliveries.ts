import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Background, type Job } from '../../background/background';
import { Database } from '../../database/database';
import { sql, type Sql } from '../../database/sql';
import { Webhook } from '../webhook/webhook.entity';
import { WebhookDelivery } from './delivery.entity';

/** Failing this many takes some 30 ms. */
const DELIVERIES_PER_STATEMENT = 1_000;

/** A caller does not wait longer than this; the job fails the rest. */
const MAX_WAIT_MS = 3_000;
const EVERY_MS = 60_000;

/** Fails what waits for webhooks that have been disabled, in parts, because a great deal may wait. */
@Injectable()
export class PendingDeliveries implements OnModuleInit {
  private readonly job: Job = {
    name: 'fail what waits for disabled webhooks',
    everyMs: EVERY_MS,
    run: (signal) => this.failAll(signal),
  };

  constructor(
    private readonly database: Database,
    private readonly background: Background,
  ) {}

  onModuleInit(): void {
    this.background.add(this.job);
  }

  /** Fails those of a webhook, unless it is enabled. */
  async fail(organizationId: string, webhookId: string): Promise<void> {
    const end = performance.now() + MAX_WAIT_MS;
    while (await this.failSome(organizationId, sql`AND webhook_id = ${webhookId}`))
      if (performance.now() > end) return this.background.trigger(this.job);
  }

  private failAll(signal: AbortSignal): Promise<void> {
    const task = {
      name: this.job.name,
      organizations: (after: string, limit: number) => sql`
        SELECT DISTINCT organization_id AS id FROM ${Webhook} AS webhooks
        WHERE organization_id > ${after} AND NOT enabled AND (
          -- Not EXISTS, for which the planner may read what waits for all webhooks.
          SELECT true FROM ${WebhookDelivery} AS deliveries WHERE deliveries.organization_id = webhooks.organization_id
            AND webhook_id = webhooks.id AND state = 'pending' ORDER BY next_attempt_at LIMIT 1)
        ORDER BY organization_id LIMIT ${limit}`,
      part: (organizationId: string) => this.failSome(organizationId),
    };
    return this.background.forEachOrganization(task, signal);
  }

  /** Returns whether there may be more. */
  private async failSome(organizationId: string, condition: Sql = sql``): Promise<boolean> {
    const statement = sql`
      UPDATE ${WebhookDelivery} SET state = 'failed', next_attempt_at = NULL
      WHERE organization_id = ${organizationId} AND id = ANY (ARRAY(
        SELECT deliveries.id FROM ${WebhookDelivery} AS deliveries
        JOIN ${Webhook} AS webhooks ON webhooks.organization_id = ${organizationId} AND webhooks.id = webhook_id
        WHERE deliveries.organization_id = ${organizationId} AND state = 'pending' AND NOT enabled ${condition}
        LIMIT ${DELIVERIES_PER_STATEMENT}))`;
    return (await this.database.execute(organizationId, statement)) === DELIVERIES_PER_STATEMENT;
  }
}
