import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Event } from '../../events/event/event.entity';
import { EventHead } from '../../events/log/event-head.entity';
import type { Due } from '../../platform/background/claimed-work';
import {
  type Claim,
  CLAIMED_SQL,
  claimRow,
  pastSql,
  releasedSql,
  UNCLAIMED_SQL,
} from '../../platform/database/claims';
import { Database } from '../../platform/database/database';
import { findLocked } from '../../platform/database/find-locked';
import { execute, raw, type Sql, sql } from '../../platform/database/sql';
import {
  type ReceiverState,
  stateOf,
  STRUGGLING_SQL,
  SUSPENDED_SQL,
  Webhook,
} from '../webhook/webhook.entity';
import { WebhookReplay } from './delivery.entity';
import { fanOut } from './fan-out';
import { freeSlots, nextAttemptAt, queuesOf } from './pending';

/** The right of one process to send to a webhook. */
export interface WebhookClaim extends Claim {
  webhookId: string;
}

/** Lets one process at a time send to a webhook, and says what to send. */
@Injectable()
export class WebhookClaims {
  constructor(private readonly database: Database) {}

  /** Whether any webhook is enabled. */
  async exist(): Promise<boolean> {
    return (await this.database.sweep(sql`SELECT FROM ${Webhook} WHERE enabled LIMIT 1`)).length > 0;
  }

  /** Organizations with webhooks that have unnumbered events: the given ones, and those that the database finds. */
  async behind(withTokenEvents: readonly string[]): Promise<string[]> {
    const rows = await this.database.sweep<{ id: string }>(sql`
      SELECT DISTINCT organization_id AS id FROM ${Webhook} AS webhooks
      WHERE enabled AND (organization_id = ANY (${withTokenEvents}) OR (
        -- Not EXISTS, for which the planner may read all events: for each webhook, or the unnumbered ones of everybody.
        SELECT true FROM ${Event} AS events WHERE events.organization_id = webhooks.organization_id AND events.sequence IS NULL
        ORDER BY position LIMIT 1))`);
    return rows.map(({ id }) => id);
  }

  /** Unclaimed webhooks that have something to send, the longest waiting first, and fewer of those that struggle. */
  due(limit: number, strugglingLimit: number): Promise<Due[]> {
    const due = (condition: Sql, most: number) => sql`(
      SELECT webhooks.organization_id AS "organizationId", webhooks.id, ${STRUGGLING_SQL} AS "isSlow"
      FROM ${Webhook} AS webhooks
      LEFT JOIN ${EventHead} AS heads ON heads.organization_id = webhooks.organization_id
      WHERE enabled AND NOT ${SUSPENDED_SQL} AND ${condition} AND ${UNCLAIMED_SQL} AND ${pastSql('blocked_until')}
        AND (due_at = claimed_until -- its process has died
          OR ${pastSql('due_at')} OR (heads.sequence > greatest(webhooks.sequence, heads.removed) AND NOT is_full))
      ORDER BY claimed_until LIMIT ${most})`;
    return this.database.sweep(
      sql`${due(sql`NOT ${STRUGGLING_SQL}`, limit)} UNION ALL ${due(STRUGGLING_SQL, strugglingLimit)}`,
    );
  }

  /** Undefined if another process was faster, or nothing may be sent now. */
  claim({ organizationId, id }: Due): Promise<WebhookClaim | undefined> {
    return this.database.write(
      organizationId,
      (manager) =>
        claimRow<{ webhookId: string }>(
          manager,
          Webhook,
          sql`organization_id = ${organizationId} AND id = ${id} AND enabled AND ${pastSql('blocked_until')}`,
          raw('id AS "webhookId"'),
        ),
      'quick',
    );
  }

  async renew({ organizationId, webhookId, number }: WebhookClaim): Promise<void> {
    await this.database.execute(
      organizationId,
      sql`UPDATE ${Webhook} SET ${CLAIMED_SQL}
          WHERE organization_id = ${organizationId} AND id = ${webhookId} AND claim = ${number}`,
    );
  }

  /**
   * Creates deliveries of new events, and reads the queues of those due, the state of the receiver, and whether there
   * are more events. Undefined if the claim is lost or the webhook disabled.
   */
  dueDeliveries(
    claim: WebhookClaim,
  ): Promise<{ queues: string[][]; receiver: ReceiverState; hasMore: boolean } | undefined> {
    return this.database.write(claim.organizationId, async (manager) => {
      const webhook = await lockClaimed(manager, claim);
      if (!webhook?.enabled) return undefined;
      const { sequence, isFull, hasMore } = await fanOut(manager, webhook);
      if (sequence !== webhook.sequence || isFull !== webhook.isFull)
        await manager.update(Webhook, primaryKey(claim), { sequence, isFull });
      return { queues: await queuesOf(manager, webhook), receiver: stateOf(webhook), hasMore };
    });
  }

  /** Returns the claim. The webhook is due again with its next delivery, but not before its rest is over. */
  release(claim: WebhookClaim): Promise<void> {
    const { organizationId, webhookId } = claim;
    return this.database.write(organizationId, async (manager) => {
      const webhook = await lockClaimed(manager, claim);
      if (!webhook) return;
      const next = await nextAttemptAt(manager, webhook);
      // Deliveries sent since the last look have freed slots, and nothing else would make the webhook due.
      const isFull = webhook.isFull && (await freeSlots(manager, webhook)) <= 0;
      const isReplaying = !isFull && (await manager.existsBy(WebhookReplay, { organizationId, webhookId }));
      await execute(
        manager,
        sql`UPDATE ${Webhook} SET is_full = ${isFull}, due_at = ${isReplaying ? '-infinity' : (next ?? 'infinity')}, ${releasedSql(claim)}
            WHERE organization_id = ${organizationId} AND id = ${webhookId}`,
      );
    });
  }
}

export const primaryKey = ({ organizationId, webhookId }: WebhookClaim) => ({
  organizationId,
  id: webhookId,
});

async function lockClaimed(manager: EntityManager, claim: WebhookClaim): Promise<Webhook | undefined> {
  const webhook = await findLocked(manager, Webhook, primaryKey(claim));
  return webhook?.claim === claim.number ? webhook : undefined;
}
