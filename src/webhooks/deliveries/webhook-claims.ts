import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database';
import { findLocked } from '../../database/find-locked';
import { execute, query, raw, type Sql, sql } from '../../database/sql';
import { Event } from '../../events/event/event.entity';
import { EventHead } from '../../events/log/event-head.entity';
import { CLAIMED_FOR_MS } from '../../events/subscribers/event-cursors';
import { Webhook } from '../webhook/webhook.entity';
import { WebhookDelivery } from './delivery.entity';
import { fanOut, freeSlots } from './fan-out';
import { WebhookReplay } from './replay.entity';

const NOW = raw('now()::timestamptz(3)');

/** A claim that lasts longer dates from before the server's clock was set back. */
const UNCLAIMED_SQL = sql`(claimed_until <= ${NOW} OR claimed_until > ${NOW} + ${CLAIMED_FOR_MS + 10_000} * interval '1 millisecond')`;

/** The longest possible pause. A time further ahead dates from before the server's clock was set back. */
const MAX_AHEAD = sql`interval '30 hours'`;

/** True once the time in a column has passed. */
export const pastSql = (time: string): Sql =>
  sql`(${raw(time)} <= ${NOW} OR (${raw(time)} > ${NOW} + ${MAX_AHEAD} AND ${raw(time)} < 'infinity'))`;

/** The maximum number of deliveries in a plan. */
const DELIVERIES_PER_PLAN = 100;

/** The right of one process to send to a webhook. A process that has died loses it after a while. */
export interface WebhookClaim {
  organizationId: string;
  webhookId: string;
  /** Grows with each claim, so that a process whose claim has expired can no longer renew or return it. */
  number: string;
}

export interface DueWebhook {
  organizationId: string;
  webhookId: string;
  isFailing: boolean;
}

/** Chains of deliveries to send now. The deliveries of a chain are sent one after the other. */
export interface Plan {
  chains: string[][];
  isFailing: boolean;
  /** Whether there are more events to deliver. */
  hasMore: boolean;
}

/** Lets one process at a time send to a webhook, and plans what it sends. */
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
      WHERE enabled AND (organization_id = ANY (${withTokenEvents}) OR EXISTS (
        SELECT FROM ${Event} AS events WHERE events.organization_id = webhooks.organization_id AND events.sequence IS NULL))`);
    return rows.map(({ id }) => id);
  }

  /** Unclaimed webhooks that have something to send, the longest waiting first, but those that are failing last. */
  due(limit: number): Promise<DueWebhook[]> {
    return this.database.sweep(sql`
      SELECT webhooks.organization_id AS "organizationId", webhooks.id AS "webhookId", failing_since IS NOT NULL AS "isFailing"
      FROM ${Webhook} AS webhooks
      LEFT JOIN ${EventHead} AS heads ON heads.organization_id = webhooks.organization_id
      WHERE enabled AND ${UNCLAIMED_SQL} AND ${pastSql('blocked_until')}
        AND (${pastSql('due_at')} OR (heads.sequence > webhooks.sequence AND NOT is_full))
      ORDER BY failing_since IS NOT NULL, claimed_until LIMIT ${limit}`);
  }

  /** Undefined if another process was faster, or nothing may be sent now. It stays due, in case this process dies. */
  async claim({ organizationId, webhookId }: DueWebhook): Promise<WebhookClaim | undefined> {
    return this.database.write(
      organizationId,
      async (manager) => {
        const [row] = await query<{ number: string }>(
          manager,
          sql`UPDATE ${Webhook} SET claim = claim + 1, due_at = '-infinity', claimed_until = now() + ${CLAIMED_FOR_MS} * interval '1 millisecond'
              WHERE organization_id = ${organizationId} AND id = ${webhookId} AND enabled AND ${UNCLAIMED_SQL} AND ${pastSql('blocked_until')}
              RETURNING claim AS number`,
        );
        return row && { organizationId, webhookId, number: row.number };
      },
      'quick',
    );
  }

  async renew({ organizationId, webhookId, number }: WebhookClaim): Promise<void> {
    await this.database.execute(
      organizationId,
      sql`UPDATE ${Webhook} SET claimed_until = now() + ${CLAIMED_FOR_MS} * interval '1 millisecond'
          WHERE organization_id = ${organizationId} AND id = ${webhookId} AND claim = ${number}`,
    );
  }

  /** Creates deliveries of new events, and plans those due. Undefined if the claim is lost or the webhook disabled. */
  plan(claim: WebhookClaim): Promise<Plan | undefined> {
    return this.database.write(claim.organizationId, async (manager) => {
      const webhook = await lockClaimed(manager, claim);
      if (!webhook?.enabled) return undefined;
      const { sequence, isFull, hasMore } = await fanOut(manager, webhook);
      if (sequence !== webhook.sequence || isFull !== webhook.isFull)
        await manager.update(Webhook, primaryKey(claim), { sequence, isFull });
      return { chains: await chainsOf(manager, webhook), isFailing: webhook.failingSince !== null, hasMore };
    });
  }

  /** Returns the claim. The webhook is due again with its next delivery, but not before `restMs`. */
  release(claim: WebhookClaim, restMs = 0): Promise<void> {
    const { organizationId, webhookId } = claim;
    return this.database.write(organizationId, async (manager) => {
      const webhook = await lockClaimed(manager, claim);
      if (!webhook) return;
      const next = await nextAttemptAt(manager, webhook);
      // Deliveries sent since the last plan have freed slots, and nothing else would make the webhook due.
      const isFull = webhook.isFull && (await freeSlots(manager, webhook)) <= 0;
      const isReplaying = !isFull && (await manager.existsBy(WebhookReplay, { organizationId, webhookId }));
      await execute(
        manager,
        sql`UPDATE ${Webhook} SET is_full = ${isFull}, due_at = ${isReplaying ? '-infinity' : (next ?? 'infinity')},
              claimed_until = now() + ${restMs} * interval '1 millisecond'
            WHERE organization_id = ${organizationId} AND id = ${webhookId}`,
      );
    });
  }
}

const primaryKey = ({ organizationId, webhookId }: WebhookClaim) => ({ organizationId, id: webhookId });

async function lockClaimed(manager: EntityManager, claim: WebhookClaim): Promise<Webhook | undefined> {
  const webhook = await findLocked(manager, Webhook, primaryKey(claim));
  return webhook?.claim === claim.number ? webhook : undefined;
}

const isOrdered = ({ ordering }: Webhook) => ordering === 'organization';

const pendingOf = ({ organizationId, id }: Webhook) =>
  sql`organization_id = ${organizationId} AND webhook_id = ${id} AND state = 'pending'`;

/** Null if nothing waits. With an order, the first delivery of the feed decides, even if later ones are due. */
async function nextAttemptAt(manager: EntityManager, webhook: Webhook): Promise<Date | null> {
  const pending = pendingOf(webhook);
  const inTurnSql = isOrdered(webhook)
    ? sql`AND (is_beside OR id = (
        SELECT id FROM ${WebhookDelivery} WHERE ${pending} AND NOT is_beside ORDER BY sequence LIMIT 1))`
    : sql``;
  const [{ next }] = await query<{ next: Date | null }>(
    manager,
    sql`SELECT min(next_attempt_at) AS next FROM ${WebhookDelivery} WHERE ${pending} ${inTurnSql}`,
  );
  return next;
}

/** With an order, the pending deliveries of the feed are one chain, and each repetition is a chain of its own. */
async function chainsOf(manager: EntityManager, webhook: Webhook): Promise<string[][]> {
  const pending = pendingOf(webhook);
  const due = await query<{ id: string }>(
    manager,
    sql`SELECT id FROM ${WebhookDelivery} WHERE ${pending} AND ${pastSql('next_attempt_at')} ${isOrdered(webhook) ? sql`AND is_beside` : sql``}
        ORDER BY next_attempt_at LIMIT ${DELIVERIES_PER_PLAN}`,
  );
  const chains = due.map(({ id }) => [id]);
  if (!isOrdered(webhook)) return chains;
  const inOrder = await query<{ id: string; isDue: boolean }>(
    manager,
    sql`SELECT id, ${pastSql('next_attempt_at')} AS "isDue" FROM ${WebhookDelivery} WHERE ${pending} AND NOT is_beside
        ORDER BY sequence LIMIT ${DELIVERIES_PER_PLAN}`,
  );
  const first = inOrder.findIndex(({ isDue }) => !isDue);
  const chain = inOrder.slice(0, first < 0 ? undefined : first).map(({ id }) => id);
  return chain.length > 0 ? [chain, ...chains] : chains;
}
