import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { resumedAtSql, suspendedSql } from '../../auth/organizations/suspension';
import { pastSql } from '../../database/claims';
import { Database } from '../../database/database';
import { findLocked } from '../../database/find-locked';
import { execute, query, sql } from '../../database/sql';
import { Event, EVENT_COLUMNS, type EventRow } from '../../events/event/event.entity';
import { recordEvents } from '../../events/record-events';
import { systemCaller } from '../../http/caller';
import { type SealedSecrets, SECRET_COLUMNS } from '../webhook/webhook-secrets';
import { webhookEvent } from '../webhook/webhook.events';
import {
  type DisabledReason,
  isStruggling,
  Webhook,
  WEBHOOK_COLUMNS,
  type WebhookFields,
} from '../webhook/webhook.entity';
import type { AttemptOutcome } from './attempt-outcome';
import { WebhookDelivery } from './delivery.entity';
import { PendingDeliveries } from './pending-deliveries';
import { WebhookReplay } from './replay.entity';
import type { WebhookClaim } from './webhook-claims';

/** A webhook is disabled when its receiver has failed for this long. */
const MAX_FAILING = sql`interval '5 days'`;

/** Everything that an attempt needs, read just before the attempt. */
export interface Attempt {
  delivery: Pick<WebhookDelivery, 'id' | 'eventId' | 'type' | 'attempts' | 'createdAt'>;
  webhook: WebhookFields & SealedSecrets;
  /** Undefined for a test, and for an event that has been removed. */
  event: EventRow | undefined;
}

/** The state of the webhook after an attempt. */
export interface Recorded {
  isEnabled: boolean;
  isStruggling: boolean;
}

/** Reads what an attempt sends, and records its outcome. */
@Injectable()
export class Attempts {
  constructor(
    private readonly database: Database,
    private readonly pending: PendingDeliveries,
  ) {}

  /** Undefined if the delivery is no longer pending, the claim is lost, or nothing may be sent for now. */
  read(claim: WebhookClaim, id: string): Promise<Attempt | undefined> {
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
  async record(claim: WebhookClaim, attempt: Attempt, outcome: AttemptOutcome): Promise<Recorded> {
    const { organizationId, webhookId } = claim;
    const { isDisabled, ...recorded } = await this.database.write(organizationId, (manager) =>
      recordOnce(manager, claim, attempt, outcome),
    );
    if (isDisabled) await this.pending.fail(organizationId, webhookId);
    return recorded;
  }
}

async function recordOnce(
  manager: EntityManager,
  { organizationId, webhookId }: WebhookClaim,
  { delivery, webhook: { url } }: Attempt,
  { state, status, pauseMs, blockMs, isGone, isSlow }: AttemptOutcome,
): Promise<Recorded & { isDisabled?: boolean }> {
  const webhook = await findLocked(manager, Webhook, { organizationId, id: webhookId });
  if (!webhook) return { isEnabled: false, isStruggling: false };
  const next = state === 'pending' ? sql`now() + ${pauseMs} * interval '1 millisecond'` : sql`NULL`;
  const isRecorded = await execute(
    manager,
    sql`UPDATE ${WebhookDelivery}
        SET attempts = attempts + 1, last_status = ${status}, state = ${state}, next_attempt_at = ${next}
        WHERE organization_id = ${organizationId} AND id = ${delivery.id} AND state = 'pending' AND attempts = ${delivery.attempts}`,
  );
  // The response of a former receiver says nothing about the new one.
  if (!isRecorded || webhook.url !== url)
    return { isEnabled: webhook.enabled, isStruggling: isStruggling(webhook) };
  if (blockMs > 0) await block(manager, webhook, blockMs);
  if (state === 'delivered') {
    await recordSuccess(manager, webhook, isSlow);
    return { isEnabled: true, isStruggling: isSlow };
  }
  const reason = isGone ? 'gone' : await recordFailure(manager, webhook, delivery.id);
  const isDisabled = reason !== undefined && (await disable(manager, webhook, reason));
  return { isEnabled: reason === undefined, isStruggling: true, isDisabled };
}

async function readWebhook(
  manager: EntityManager,
  { organizationId, webhookId, number }: WebhookClaim,
): Promise<Attempt['webhook'] | undefined> {
  const [row] = await query<Attempt['webhook']>(
    manager,
    sql`SELECT ${WEBHOOK_COLUMNS}, ${SECRET_COLUMNS} FROM ${Webhook}
        WHERE organization_id = ${organizationId} AND id = ${webhookId} AND enabled AND claim = ${number}
          AND ${pastSql('blocked_until')} AND NOT ${suspendedSql(sql`${organizationId}`)}`,
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

const recordSuccess = (manager: EntityManager, webhook: Webhook, isSlow: boolean) =>
  execute(
    manager,
    sql`UPDATE ${Webhook}
        SET last_success_at = now(), is_slow = ${isSlow}, failing_since = NULL, failing_delivery = NULL, failing_others = false
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
    // Nothing was sent while the organization was suspended.
    sql`SELECT greatest(failing_since, ${resumedAtSql(sql`${webhook.organizationId}`)}) <= now() - ${MAX_FAILING} AS "isTooLong"
        FROM ${Webhook} WHERE ${ownRow(webhook)}`,
  );
  return isTooLong ? 'failing' : undefined;
}

/** Returns whether nobody has disabled it meanwhile. What waits for it fails after the commit. */
async function disable(manager: EntityManager, webhook: Webhook, reason: DisabledReason): Promise<boolean> {
  const [disabled] = await query<WebhookFields>(
    manager,
    sql`UPDATE ${Webhook} SET enabled = false, disabled_reason = ${reason}, updated_at = greatest(updated_at, now())
        WHERE ${ownRow(webhook)} AND enabled RETURNING ${WEBHOOK_COLUMNS}`,
  );
  if (!disabled) return false;
  const { organizationId, id: webhookId } = webhook;
  await manager.delete(WebhookReplay, { organizationId, webhookId });
  const by = systemCaller(organizationId, 'service', 'system');
  await recordEvents(manager, webhookEvent(by, 'webhook.disabled', disabled));
  return true;
}
