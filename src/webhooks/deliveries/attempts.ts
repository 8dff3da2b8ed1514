import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database';
import { findLocked } from '../../database/find-locked';
import { execute, query, sql } from '../../database/sql';
import { Event, EVENT_COLUMNS, type EventRow } from '../../events/event/event.entity';
import { recordEvents } from '../../events/record-events';
import { systemCaller } from '../../http/caller';
import { type SealedSecrets, SECRET_COLUMNS } from '../webhook/webhook-secrets';
import { webhookEvent } from '../webhook/webhook.events';
import { type DisabledReason, Webhook, WEBHOOK_COLUMNS, type WebhookFields } from '../webhook/webhook.entity';
import { WebhookDelivery } from './delivery.entity';
import { failPending } from './fail-pending';
import type { Verdict } from './attempt-outcome';
import { pastSql, type WebhookClaim } from './webhook-claims';

/** A webhook is disabled when its receiver has failed for this long. */
const MAX_FAILING = sql`interval '5 days'`;

/** Everything that an attempt needs, read just before the attempt. */
export interface Sending {
  delivery: Pick<WebhookDelivery, 'id' | 'eventId' | 'type' | 'attempts' | 'createdAt'>;
  webhook: WebhookFields & SealedSecrets;
  /** Undefined for a test, and for an event that has been removed. */
  event: EventRow | undefined;
}

/** The state of the webhook after an attempt. */
export interface Recorded {
  isEnabled: boolean;
  isFailing: boolean;
}

/** Reads what an attempt sends, and records its outcome. */
@Injectable()
export class Attempts {
  constructor(private readonly database: Database) {}

  /** Undefined if the delivery is no longer pending, the claim is lost, or nothing may be sent for now. */
  read(claim: WebhookClaim, id: string): Promise<Sending | undefined> {
    const { organizationId } = claim;
    return this.database.read(organizationId, async (manager) => {
      const delivery = await manager.findOneBy(WebhookDelivery, { organizationId, id, state: 'pending' });
      const webhook = delivery && (await readWebhook(manager, claim));
      if (!webhook) return undefined;
      const [event] = await query<EventRow>(
        manager,
        sql`SELECT ${EVENT_COLUMNS} FROM ${Event} WHERE organization_id = ${organizationId} AND id = ${delivery.eventId}`,
      );
      return { delivery, webhook, event };
    });
  }

  /** Records an attempt once: a process that lost its claim and records it second changes nothing. */
  record(claim: WebhookClaim, { delivery, webhook: { url } }: Sending, verdict: Verdict): Promise<Recorded> {
    const { organizationId, webhookId } = claim;
    return this.database.write(organizationId, async (manager) => {
      const webhook = await findLocked(manager, Webhook, { organizationId, id: webhookId });
      if (!webhook) return { isEnabled: false, isFailing: false };
      const { state, status, pauseMs, blockMs, isGone } = verdict;
      const next = state === 'pending' ? sql`now() + ${pauseMs} * interval '1 millisecond'` : sql`NULL`;
      const isRecorded = await execute(
        manager,
        sql`UPDATE ${WebhookDelivery}
            SET attempts = attempts + 1, last_status = ${status}, state = ${state}, next_attempt_at = ${next}
            WHERE organization_id = ${organizationId} AND id = ${delivery.id} AND state = 'pending' AND attempts = ${delivery.attempts}`,
      );
      // The response of a former receiver says nothing about the new one.
      if (!isRecorded || webhook.url !== url)
        return { isEnabled: webhook.enabled, isFailing: webhook.failingSince !== null };
      if (blockMs > 0) await block(manager, webhook, blockMs);
      if (state === 'delivered') {
        await recordSuccess(manager, webhook);
        return { isEnabled: true, isFailing: false };
      }
      const reason = isGone ? 'gone' : await recordFailure(manager, webhook, delivery.id);
      if (reason) await disable(manager, webhook, reason);
      return { isEnabled: reason === undefined, isFailing: true };
    });
  }
}

async function readWebhook(
  manager: EntityManager,
  { organizationId, webhookId, number }: WebhookClaim,
): Promise<Sending['webhook'] | undefined> {
  const [row] = await query<Sending['webhook']>(
    manager,
    sql`SELECT ${WEBHOOK_COLUMNS}, ${SECRET_COLUMNS} FROM ${Webhook}
        WHERE organization_id = ${organizationId} AND id = ${webhookId} AND enabled AND claim = ${number}
          AND ${pastSql('blocked_until')}`,
  );
  return row;
}

const ownRow = ({ organizationId, id }: Webhook) => sql`organization_id = ${organizationId} AND id = ${id}`;

const block = (manager: EntityManager, webhook: Webhook, ms: number) =>
  execute(
    manager,
    sql`UPDATE ${Webhook} SET blocked_until = now() + ${ms} * interval '1 millisecond'
        WHERE ${ownRow(webhook)} AND (blocked_until < now() + ${ms} * interval '1 millisecond' OR ${pastSql('blocked_until')})`,
  );

const recordSuccess = (manager: EntityManager, webhook: Webhook) =>
  execute(
    manager,
    sql`UPDATE ${Webhook} SET last_success_at = now(), failing_since = NULL, failing_delivery = NULL, failing_others = false
        WHERE ${ownRow(webhook)}`,
  );

/** Returns a reason to disable the webhook, if there is one: two deliveries have failed, the first of them long ago. */
async function recordFailure(
  manager: EntityManager,
  webhook: Webhook,
  deliveryId: string,
): Promise<DisabledReason | undefined> {
  const isFirst = webhook.failingSince === null;
  const isOther = !isFirst && webhook.failingDelivery !== deliveryId;
  if (isFirst)
    await execute(
      manager,
      sql`UPDATE ${Webhook} SET failing_since = now(), failing_delivery = ${deliveryId}, failing_others = false
          WHERE ${ownRow(webhook)}`,
    );
  else if (isOther && !webhook.failingOthers)
    await execute(manager, sql`UPDATE ${Webhook} SET failing_others = true WHERE ${ownRow(webhook)}`);
  if (isFirst || !(isOther || webhook.failingOthers)) return undefined;
  const [{ isTooLong }] = await query<{ isTooLong: boolean }>(
    manager,
    sql`SELECT failing_since <= now() - ${MAX_FAILING} AS "isTooLong" FROM ${Webhook} WHERE ${ownRow(webhook)}`,
  );
  return isTooLong ? 'failing' : undefined;
}

async function disable(manager: EntityManager, webhook: Webhook, reason: DisabledReason): Promise<void> {
  const [disabled] = await query<WebhookFields>(
    manager,
    sql`UPDATE ${Webhook} SET enabled = false, disabled_reason = ${reason}, updated_at = greatest(updated_at, now())
        WHERE ${ownRow(webhook)} AND enabled RETURNING ${WEBHOOK_COLUMNS}`,
  );
  if (!disabled) return; // somebody has disabled it meanwhile
  await failPending(manager, webhook);
  const by = systemCaller(webhook.organizationId, 'service', 'system');
  await recordEvents(manager, webhookEvent(by, 'webhook.disabled', disabled));
}
